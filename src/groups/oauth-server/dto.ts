// What the OAuth server answers, in the words of its RFCs; and what its consent page shows.
import { z } from 'zod';
import { Permission } from '../../contract/enums.ts';
import { boolean, dateTime, dto, int32, int64, string } from '../../contract/types.ts';
import { IdentityDto } from '../identities/dto.ts';

export const OAuthServerMetadata = dto('OAuthServerMetadata', {
  issuer: string,
  authorization_endpoint: string,
  token_endpoint: string,
  registration_endpoint: string.nullish(),
  revocation_endpoint: string,
  introspection_endpoint: string,
  userinfo_endpoint: string,
  jwks_uri: string,
  scopes_supported: z.array(string),
  response_types_supported: z.array(string),
  response_modes_supported: z.array(string),
  grant_types_supported: z.array(string),
  code_challenge_methods_supported: z.array(string),
  token_endpoint_auth_methods_supported: z.array(string),
  revocation_endpoint_auth_methods_supported: z.array(string),
  introspection_endpoint_auth_methods_supported: z.array(string),
  subject_types_supported: z.array(string),
  id_token_signing_alg_values_supported: z.array(string),
  claims_supported: z.array(string),
  client_id_metadata_document_supported: boolean,
  authorization_response_iss_parameter_supported: boolean,
  service_documentation: string.nullish(),
});

export const OAuthProtectedResource = dto('OAuthProtectedResource', {
  resource: string,
  resource_name: string,
  authorization_servers: z.array(string),
  jwks_uri: string,
  scopes_supported: z.array(string),
  bearer_methods_supported: z.array(string),
});

export const OAuthClientInformation = dto('OAuthClientInformation', {
  client_id: string,
  client_secret: string.nullish(),
  client_id_issued_at: int64,
  client_secret_expires_at: int64,
  client_name: string.nullish(),
  client_uri: string.nullish(),
  logo_uri: string.nullish(),
  application_type: string,
  redirect_uris: z.array(string),
  grant_types: z.array(string),
  response_types: z.array(string),
  scope: string.nullish(),
  token_endpoint_auth_method: string,
});
export type OAuthClientInformation = z.output<typeof OAuthClientInformation>;

export const OAuthScopeDto = dto('OAuthScopeDto', {
  name: string,
  description: string,
  isDangerous: boolean,
  permissions: z.array(Permission),
});

export const OAuthAuthorizationRequestDto = dto('OAuthAuthorizationRequestDto', {
  requestId: string,
  clientId: string,
  clientName: string,
  clientUri: string.nullable(),
  logoUri: string.nullable(),
  redirectHost: string,
  isVerified: boolean,
  scopes: z.array(OAuthScopeDto),
  resource: string.nullable(),
  identities: z.array(IdentityDto),
  alreadyGranted: boolean,
  redirectUrl: string.nullable(),
  expiresAtUtc: dateTime,
});
export type OAuthAuthorizationRequestDto = z.output<typeof OAuthAuthorizationRequestDto>;

export const OAuthTokenResponse = dto('OAuthTokenResponse', {
  access_token: string,
  token_type: string,
  expires_in: int32,
  refresh_token: string.nullish(),
  scope: string.nullish(),
  id_token: string.nullish(),
});
export type OAuthTokenResponse = z.output<typeof OAuthTokenResponse>;

export const OAuthIntrospectionResponse = dto('OAuthIntrospectionResponse', {
  active: boolean,
  scope: string.nullish(),
  client_id: string.nullish(),
  username: string.nullish(),
  token_type: string.nullish(),
  exp: int64.nullish(),
  iat: int64.nullish(),
  nbf: int64.nullish(),
  sub: string.nullish(),
  aud: string.nullish(),
  iss: string.nullish(),
  jti: string.nullish(),
  identity_id: int64.nullish(),
});
export type OAuthIntrospectionResponse = z.output<typeof OAuthIntrospectionResponse>;

export const JsonWebKey = dto('JsonWebKey', {
  kty: string,
  use: string,
  alg: string,
  kid: string,
  crv: string.nullish(),
  x: string.nullish(),
  y: string.nullish(),
  n: string.nullish(),
  e: string.nullish(),
});

export const JsonWebKeySet = dto('JsonWebKeySet', { keys: z.array(JsonWebKey) });

export const OAuthUserInfo = dto('OAuthUserInfo', {
  sub: string,
  name: string.nullish(),
  preferred_username: string.nullish(),
  email: string.nullish(),
  email_verified: boolean.nullish(),
  picture: string.nullish(),
  locale: string.nullish(),
  zoneinfo: string.nullish(),
  updated_at: int64.nullish(),
  identity_id: int64.nullish(),
  permissions: z.array(Permission),
});
