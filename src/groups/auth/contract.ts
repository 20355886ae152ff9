// Operations for signing in and out.
import { group, op } from '../../contract/operation.ts';
import { boolean, fields, nothing, string } from '../../contract/types.ts';
import { AuthPrincipalDto, AuthTokenDto } from './dto.ts';

export const auth = group(
  'Auth',
  { base: '/api/auth', doc: 'Signing in and out.' },
  {
    login: op.post('/login', {
      doc: 'Sign in with a password; mfaCode is for accounts that have a second factor, and ignored for all others.',
      needs: 'public',
      body: fields({
        login: string.min(1).max(200),
        password: string.min(1).max(1000),
        mfaCode: string.max(100).nullish(),
        deviceName: string.max(200).nullish(),
        rememberMe: boolean.nullish(),
        useCookie: boolean.nullish(),
      }),
      data: AuthTokenDto,
      signsIn: true,
      idempotent: false,
    }),
    refresh: op.post('/refresh', {
      doc: 'Exchange a refresh token, from the body or the cookie, or the token of a sign-in link, for new tokens; each works once. With useCookie the new refresh token comes in a cookie that no script can read.',
      needs: 'public',
      body: fields({ refreshToken: string.min(1).max(500).nullish(), useCookie: boolean.nullish() }).optional(),
      data: AuthTokenDto,
      signsIn: true,
      idempotent: false,
    }),
    logout: op.post('/logout', {
      doc: 'End this session, or every session of the user.',
      needs: 'self',
      byAnyKey: true,
      body: fields({ allSessions: boolean.nullish() }).optional(),
      data: nothing,
      idempotent: false,
    }),
    me: op.get('/me', {
      doc: 'The signed-in principal with its roles and permissions.',
      needs: 'self',
      byAnyKey: true,
      data: AuthPrincipalDto,
    }),
  },
);
