// Failures as Anthropic's clients expect them, with our own code and hint beside.
import type { Fault } from '../kernel/fault.ts';
import type { FailureReply } from './replies.ts';

const types: Record<number, string> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
};

/** Anthropic's type of a fault. */
export function anthropicError({ status, text }: Fault): { type: string; message: string } {
  const type = types[status] ?? (status < 500 ? 'invalid_request_error' : 'api_error');
  return { type, message: text };
}

/** For operations of Anthropic's interface; `errorCode` and `hint` stand here as in every other failure. */
export function anthropicFailure(fault: Fault, requestId: string): FailureReply {
  const { code, hint, status } = fault;
  const error = anthropicError(fault);
  return {
    status,
    // Anthropic's clients decide by the status alone whether they retry. Retrying does not help when credit or a key is
    // missing.
    headers: status === 402 || status === 501 ? { 'x-should-retry': 'false' } : {},
    body: { type: 'error', error, request_id: requestId, ok: false, requestId, data: null, errorCode: code, hint },
  };
}
