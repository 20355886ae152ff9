// Failures as OpenAI's clients expect them, with our own code and hint beside.
import type { Fault } from '../kernel/fault.ts';
import type { FailureReply } from './replies.ts';

export interface OpenAiError {
  message: string;
  type: string;
  param: string | null;
  code: string;
}

/** OpenAI's type of a fault, and the status that its clients expect. */
export function openAiError(fault: Fault): { status: number; error: OpenAiError } {
  const { status, type, code } = nameOf(fault);
  // Some clients recognise a wrong key by this text alone.
  const message = status === 401 ? `Incorrect API key provided. ${fault.text}` : fault.text;
  return { status, error: { message, type, param: fault.field, code } };
}

function nameOf({ code, status, field }: Fault): { status: number; type: string; code: string } {
  const own = code.toLowerCase();
  if (status === 401) return { status, type: 'invalid_request_error', code: 'invalid_api_key' };
  // Spent credit does not come back by waiting; OpenAI's clients expect 429 all the same.
  if (status === 402) return { status: 429, type: 'insufficient_quota', code: 'insufficient_quota' };
  if (status === 403) return { status, type: 'permission_error', code: own };
  if (status === 404 && field === 'model') return { status, type: 'invalid_request_error', code: 'model_not_found' };
  if (status === 429) return { status, type: 'rate_limit_error', code: 'rate_limit_exceeded' };
  if (code === 'CONTEXT_TOO_LARGE') return { status, type: 'invalid_request_error', code: 'context_length_exceeded' };
  return { status, type: status < 500 ? 'invalid_request_error' : 'server_error', code: own };
}

/** For operations of OpenAI's interface; `errorCode` and `hint` stand here as in every other failure. */
export function openAiFailure(fault: Fault, requestId: string): FailureReply {
  const { status, error } = openAiError(fault);
  return {
    status,
    // OpenAI's clients decide by the status alone whether they retry. Retrying does not help when credit or a key is
    // missing.
    headers: fault.status === 402 || fault.status === 501 ? { 'x-should-retry': 'false' } : {},
    body: { error, ok: false, requestId, data: null, errorCode: fault.code, hint: fault.hint },
  };
}
