// The answer to bytes that cannot be parsed as a request.
import { randomUUID } from 'node:crypto';
import { Fault } from '../kernel/fault.ts';
import type { Refusal } from './adapter.ts';
import { failureText } from './envelope.ts';

const texts: Record<number, [message: string, hint: string]> = {
  408: ['The request did not arrive in time.', 'Send the whole head at once.'],
  431: ['The head of the request is too large.', 'Send fewer or shorter headers, or a shorter path.'],
};
const broken: [string, string] = ['The request is not valid HTTP/1.1.', 'Check its first line, headers and framing.'];

/** The envelope of a refusal that closes the connection. */
export function malformed(status: number): Refusal {
  const [message, hint] = texts[status] ?? broken;
  const requestId = randomUUID();
  return {
    status,
    headers: [
      ['content-type', 'application/json; charset=utf-8'],
      ['x-request-id', requestId],
      ['connection', 'close'],
    ],
    body: failureText(new Fault('BAD_REQUEST', message, { hint, status }), requestId, 0),
  };
}
