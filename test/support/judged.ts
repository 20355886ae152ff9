// What the door of an operation says to a request, found out in this process by the functions that the pipeline uses.
import { randomUUID } from 'node:crypto';
import { isMultipart } from '../../src/contract/multipart.ts';
import { failureText } from '../../src/http/envelope.ts';
import { createOperationInput, type OperationInput } from '../../src/http/operation-input.ts';
import { errorStatus } from '../../src/kernel/error-codes.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type BadRequest, smallestQuery } from './operation-fuzz.ts';
import type { ListedOperation } from './operations.ts';

/** What was answered, or would be; of success no body. */
export interface FuzzAnswer {
  status: number;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was answered
  body: any;
}

const codes = new Set<string>(Object.keys(errorStatus));
const defaultBodyBytes = 1 << 20;
const inputs = new Map<string, OperationInput>();
const inputOf = ({ id, operation }: ListedOperation) => {
  const known = inputs.get(id) ?? createOperationInput(operation);
  inputs.set(id, known);
  return known;
};

/** Bodies are sent with every method but GET. */
export const bytesOf = ({ method }: ListedOperation, { body }: BadRequest): Buffer | null =>
  method === 'GET' || body === undefined ? null : Buffer.from(body as string);

/** The query of a request: what is bad about it, and what the operation needs besides. */
export function queryOf({ operation }: ListedOperation, { query }: BadRequest): string {
  const others = [...new URLSearchParams(smallestQuery(operation))].filter(([name]) => !query?.startsWith(`${name}=`));
  return [query ?? '', new URLSearchParams(others).toString()].filter(Boolean).join('&');
}

/**
 * The refusal of a request by its query or body; null when the schemas take it, or when only a server can tell (forms,
 * and bodies above the limit, are judged as they arrive).
 *
 * @throws whatever is no Fault: a server would answer 500
 */
export function refusal(listed: ListedOperation, bad: BadRequest): FuzzAnswer | null {
  const { operation } = listed;
  const bytes = bytesOf(listed, bad);
  try {
    // As `fetch` sends it: a query is made of bytes that a URL may hold.
    inputOf(listed).readQuery(new URL(`http://a/?${queryOf(listed, bad)}`).search.slice(1));
    if (!bytes || isMultipart(operation.body) || bytes.length > (operation.maxBodyBytes ?? defaultBodyBytes))
      return null;
    inputOf(listed).readBody(bytes, bad.contentType ?? 'application/json');
    return null;
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    if (error.field === '') throw new Error('the refusal names an empty field', { cause: error });
    return answerOf(listed, error);
  }
}

function answerOf({ operation }: ListedOperation, fault: Fault): FuzzAnswer {
  const requestId = randomUUID();
  const own = operation.failure?.(fault, requestId);
  const field = { field: fault.field };
  return own
    ? { status: own.status, body: { ...(own.body as object), ...field } }
    : { status: fault.status, body: { ...JSON.parse(failureText(fault, requestId, 0)), ...field } };
}

/** What is wrong with an answer; null when nothing is. */
export function complaint({ status, body }: FuzzAnswer, wanted: number | undefined): string | null {
  if (status === 429) return `was held up by a limit, so that nothing is known: ${body?.error}`;
  if (wanted !== undefined && status !== wanted) return `answered ${status} and not ${wanted}: ${body?.error}`;
  // What nobody has set up cannot be used, and says how to set it up; nor can a route that these very requests have spoilt.
  const excused =
    body?.errorCode === 'NOT_CONFIGURED' ||
    (body?.errorCode === 'NO_ROUTE_AVAILABLE' && !JSON.stringify(body.error).includes('The scripted provider'));
  if (status >= 500 && !(excused && body.hint)) return `answered ${status}: ${body?.error}`;
  if (status < 300) return null;
  if (status < 400 || body?.ok !== false || body.data !== null) return `${status} without an envelope`;
  if (!codes.has(body.errorCode)) return `has the unknown code ${body.errorCode}`;
  if (!body.hint || !body.error) return `gives no hint: ${body.error}`;
  return null;
}

/** What is wrong with a refusal that was found in this process; the field that is wrong is known here, too. */
export function refusalComplaint(answer: FuzzAnswer, wanted: number | undefined): string | null {
  const what = complaint(answer, wanted);
  if (what) return what;
  if (answer.status < 400 || answer.status >= 500) return `is refused with ${answer.status}`;
  const bySchema = answer.body.errorCode === 'VALIDATION_FAILED' && !/takes no (query|body)/.test(errorText(answer));
  return bySchema && !answer.body.field ? `names no field: ${errorText(answer)}` : null;
}

/** In words; OAuth's failures have a code where ours have these. */
const errorText = ({ body: { error, error_description: description } }: FuzzAnswer): string =>
  description ?? (typeof error === 'string' ? error : JSON.stringify(error));
