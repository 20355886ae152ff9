// Reads the query and the JSON body of an operation's requests, each against its schema; the pipeline and the fuzz share it.
import { queryReader } from '../contract/coerce.ts';
import { isMultipart } from '../contract/multipart.ts';
import { type AnyOperation, bodyIsOptional } from '../contract/operation.ts';
import { Fault } from '../kernel/fault.ts';
import { check, isForm, parseForm, parseJson } from './input.ts';
import { opensStream, type StreamQuery, streamQueryReader } from './stream-query.ts';

export interface QueryInput {
  /** By the operation's schema; undefined where it takes no query. */
  query: unknown;
  /** Cursor and ticket, of operations that open a stream; null of others. */
  stream: StreamQuery | null;
}

export interface OperationInput {
  /** @throws Fault VALIDATION_FAILED, INVALID_CURSOR */
  readQuery(raw: string): QueryInput;
  /** Of a JSON body; forms are received as they arrive. @throws Fault BAD_REQUEST, UNSUPPORTED_MEDIA_TYPE, VALIDATION_FAILED */
  readBody(bytes: Buffer, contentType: string | undefined): unknown;
}

/**
 * What does not depend on the request is found out once an operation. Whether its body may be left out is asked when one
 * first is: a schema compiles itself at its first use, and all of them were a tenth of the time that a server needs to start.
 */
export function createOperationInput(operation: AnyOperation): OperationInput {
  let isOptional: boolean | undefined;
  const mayBeLeftOut = () => {
    isOptional ??= bodyIsOptional(operation.body);
    return isOptional;
  };
  return {
    readQuery: queryInputReader(operation),
    readBody: (bytes, contentType) => {
      if (operation.takesBytes) return undefined;
      const sent = operation.takesForm && isForm(contentType) ? parseForm(bytes) : parseJson(bytes, contentType);
      // Left out, which `null` is not.
      const value = sent === undefined && mayBeLeftOut() ? {} : sent;
      if (operation.body && !isMultipart(operation.body)) return check(operation.body, value, 'body');
      if (value === undefined || (typeof value === 'object' && value !== null && Object.keys(value).length === 0))
        return undefined;
      throw new Fault('VALIDATION_FAILED', 'This operation takes no body.', { hint: 'Leave the body out.' });
    },
  };
}

function queryInputReader(operation: AnyOperation): (raw: string) => QueryInput {
  const { query: schema } = operation;
  if (opensStream(operation)) {
    const read = streamQueryReader(operation);
    return (raw) => {
      const { values, rest, stream } = read(raw);
      return { query: schema ? check(schema, values, 'query') : noQuery(rest), stream };
    };
  }
  if (!schema) return (raw) => ({ query: noQuery(raw), stream: null });
  const read = queryReader(schema);
  return (raw) => ({ query: check(schema, read(raw), 'query'), stream: null });
}

function noQuery(raw: string): undefined {
  if (raw === '') return undefined;
  const names = [...new Set(new URLSearchParams(raw).keys())].slice(0, 5).map((name) => name.slice(0, 60));
  const which = names.length > 0 ? `: ${names.join(', ')}` : '';
  throw new Fault('VALIDATION_FAILED', `This operation takes no query${which}.`, {
    hint: 'Leave the query out.',
  });
}
