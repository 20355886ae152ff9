// Failures as OAuth clients expect them (RFC 6749, section 5.2), with our own code and hint beside.
import { Fault, type FaultOptions } from '../kernel/fault.ts';
import type { FailureReply } from './replies.ts';

/** Error codes of RFC 6749, 6750, 7591 and 8707. */
export type OAuthErrorCode =
  | 'access_denied'
  | 'consent_required'
  | 'invalid_client'
  | 'invalid_client_metadata'
  | 'invalid_grant'
  | 'invalid_redirect_uri'
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_token'
  | 'server_error'
  | 'temporarily_unavailable'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'unsupported_response_type'
  | 'unsupported_token_type';

/** A failure with a code of its own in OAuth. */
export class OAuthFault extends Fault {
  readonly error: OAuthErrorCode;

  constructor(error: OAuthErrorCode, message: string, options: FaultOptions = {}) {
    super(error === 'invalid_client' ? 'INVALID_CREDENTIALS' : 'BAD_REQUEST', message, options);
    this.error = error;
  }
}

function errorOf(fault: Fault): OAuthErrorCode {
  if (fault instanceof OAuthFault) return fault.error;
  if (fault.status === 401) return 'invalid_token';
  if (fault.status === 403) return 'access_denied';
  if (fault.status === 429 || fault.status === 503) return 'temporarily_unavailable';
  return fault.status < 500 ? 'invalid_request' : 'server_error';
}

/** Characters that RFC 6749 allows in a description. */
const plain = (text: string) => text.replaceAll('"', "'").replace(/[^\x20-\x21\x23-\x5b\x5d-\x7e]/g, ' ');

/** For operations of the OAuth server. */
export function oauthFailure(fault: Fault, requestId: string): FailureReply {
  const said = fault.hint ? `${fault.message} ${fault.hint}` : fault.message;
  return {
    status: fault.status,
    headers: {},
    body: {
      error: errorOf(fault),
      error_description: plain(said),
      ok: false,
      requestId,
      data: null,
      errorCode: fault.code,
      hint: fault.hint,
    },
  };
}
