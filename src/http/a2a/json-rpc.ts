// The JSON-RPC binding of A2A, which a protocol library speaks; what is wrong before it, and our own failures, are said here.
import { formatSSEEvent } from '@a2a-js/sdk';
import {
  A2A_ERROR_CODE,
  A2AError,
  ContentTypeNotSupportedError,
  RequestMalformedError,
  toJsonRpcError,
} from '@a2a-js/sdk/errors';
import { type A2ARequestHandler, JsonRpcTransportHandler, type ServerCallContext } from '@a2a-js/sdk/server';
import { toFault } from '../../kernel/fault.ts';
import { streamOf } from './rest.ts';

/** Our own failures: JSON-RPC leaves these codes to servers, and A2A has taken those below. */
const ownCode = -32_050;

type Id = string | number | null;

/** @param refused why nothing is carried out, where that is known already */
export async function rpcAnswer(
  body: unknown,
  handler: A2ARequestHandler,
  context: ServerCallContext,
  refused: A2AError | null,
): Promise<Response> {
  const id = idOf(body);
  if (id === undefined) {
    const [code, message] =
      body === undefined
        ? [A2A_ERROR_CODE.PARSE_ERROR, 'The body is no JSON.']
        : [A2A_ERROR_CODE.INVALID_REQUEST, 'The body is no call of JSON-RPC 2.0.'];
    return json({ jsonrpc: '2.0', id: null, error: { code, message } });
  }
  if (refused) return json({ jsonrpc: '2.0', id, error: toJsonRpcError(refused) });
  // The library has one code for all that it does not know: faults keep their own words.
  let fault: unknown = null;
  const transport = new JsonRpcTransportHandler(noting(handler, (error) => (fault = error)));
  const answer = await transport.handle(body as Record<string, unknown>, context);
  if (!(Symbol.asyncIterator in answer))
    return json(fault === null ? answer : { jsonrpc: '2.0', id, ...rpcError(fault) });
  try {
    return await streamOf(answer, (event) => formatSSEEvent(event));
  } catch (error) {
    return json({ jsonrpc: '2.0', id, ...rpcError(error) });
  }
}

/** A failure before a call is known. */
export const rpcFailure = (error: unknown) => ({ jsonrpc: '2.0', id: null, ...rpcError(error) });

function rpcError(error: unknown): { error: object } {
  if (error instanceof A2AError) return { error: toJsonRpcError(error) };
  const { code, text: said } = toFault(error);
  if (code === 'UNSUPPORTED_MEDIA_TYPE') return { error: toJsonRpcError(new ContentTypeNotSupportedError(said)) };
  if (code === 'VALIDATION_FAILED') return { error: toJsonRpcError(new RequestMalformedError(said)) };
  const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: code, domain: 'rivulet', metadata: {} };
  return { error: { code: ownCode, message: said, data: [info] } };
}

/** The id of a call; undefined for what is no call. */
function idOf(body: unknown): Id | undefined {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return undefined;
  const { jsonrpc, method, id = null } = body as { jsonrpc?: unknown; method?: unknown; id?: Id };
  if (jsonrpc !== '2.0' || typeof method !== 'string' || method === '') return undefined;
  return id === null || typeof id === 'string' || Number.isInteger(id) ? id : undefined;
}

/** The same handler; what it throws that is no error of A2A is noted. */
function noting(handler: A2ARequestHandler, note: (error: unknown) => void): A2ARequestHandler {
  return new Proxy(handler, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...args: unknown[]) => {
        const result: unknown = value.apply(target, args);
        if (!(result instanceof Promise)) return result;
        return result.catch((error: unknown) => {
          if (!(error instanceof A2AError)) note(error);
          throw error;
        });
      };
    },
  });
}

const json = (value: unknown): Response =>
  new Response(JSON.stringify(value), { headers: { 'content-type': 'application/json' } });
