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

/** What a client can do, where the failure itself says no more. */
const usualHints: Partial<Record<OAuthErrorCode, string>> = {
  invalid_client: 'Register the client again, or send the secret that it was given.',
  invalid_client_metadata: 'See RFC 7591 for the fields of a client, and the metadata for what is supported.',
  invalid_grant: 'Ask the person again: begin with a new authorization request.',
  invalid_redirect_uri: 'Name https addresses, or http ones of this machine, without fragment and credentials.',
  invalid_scope: 'Ask for scopes that the metadata lists.',
  invalid_target: 'Name a resource that the metadata of protected resources lists.',
};
const usualHint = 'See /.well-known/oauth-authorization-server for what is supported.';

/** A failure with a code of its own in OAuth. */
export class OAuthFault extends Fault {
  readonly error: OAuthErrorCode;

  constructor(error: OAuthErrorCode, message: string, options: FaultOptions = {}) {
    super(error === 'invalid_client' ? 'INVALID_CREDENTIALS' : 'BAD_REQUEST', message, {
      hint: usualHints[error] ?? usualHint,
      ...options,
    });
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
  return {
    status: fault.status,
    headers: {},
    body: {
      error: errorOf(fault),
      error_description: plain(fault.text),
      ok: false,
      requestId,
      data: null,
      errorCode: fault.code,
      hint: fault.hint,
      field: fault.field,
      count: null,
      unreadMessages: 0,
    },
  };
}
