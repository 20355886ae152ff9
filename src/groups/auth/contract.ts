// Operations for signing in and out.

import { z } from 'zod';
import { group, op } from '../../contract/operation.ts';
import { boolean, email, fields, nothing, string } from '../../contract/types.ts';
import {
  AuthPrincipalDto,
  AuthSessionDto,
  AuthTokenDto,
  MfaRecoveryCodesDto,
  TokenIntrospectionDto,
  TotpEnrollmentDto,
} from './dto.ts';

/** A mailed token. */
const token = string.min(1).max(200);
const code = string.min(1).max(100);
const username = string
  .trim()
  .min(1)
  .max(200)
  .regex(/^[^\s/]+$/, 'no spaces and no slashes');

export const auth = group(
  'Auth',
  { base: '/api/auth', doc: 'Signing in and out.' },
  {
    register: op.post('/register', {
      doc: 'Create an account: with inviteToken in the tenant of who invites, else in a tenant of its own, as its Owner. The policy of the tenant (of the first one, without an invitation) says who may.',
      needs: 'public',
      body: fields({
        username,
        email,
        password: string.min(1).max(1000),
        displayName: string.trim().max(200).nullish(),
        inviteToken: token.nullish(),
        timezone: string.max(100).nullish(),
        language: string.max(100).nullish(),
      }),
      data: AuthTokenDto,
      signsIn: true,
      idempotent: false,
    }),
    login: op.post('/login', {
      doc: 'Sign in with a username or e-mail address and a password; mfaCode is for accounts that have a second factor: a code of the authenticator app, or a recovery code.',
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
    sessions: op.get('/sessions', {
      doc: 'List my active sessions and connected OAuth clients.',
      needs: 'self',
      data: z.array(AuthSessionDto),
    }),
    endSession: op.delete('/sessions/{id}', { doc: 'End one of my sessions.', needs: 'self', data: nothing }),
    enrollTotp: op.post('/mfa/totp/enroll', {
      doc: 'Start to set up a second factor: a secret for an authenticator app, also as a QR code. It counts from its first code on.',
      needs: 'self',
      body: fields({ password: string.max(1000) }),
      data: TotpEnrollmentDto,
      signsIn: true,
      idempotent: false,
    }),
    confirmTotp: op.post('/mfa/totp/confirm', {
      doc: 'Turn the second factor on with a first code; the recovery codes are shown once.',
      needs: 'self',
      body: fields({ code }),
      data: MfaRecoveryCodesDto,
      signsIn: true,
      idempotent: false,
    }),
    disableTotp: op.post('/mfa/totp/disable', {
      doc: 'Turn the second factor off, with the password and a code of the app or a recovery code.',
      needs: 'self',
      body: fields({ password: string.max(1000), code }),
      data: nothing,
      signsIn: true,
      idempotent: false,
    }),
    confirmEmail: op.post('/email/confirm', {
      doc: 'Confirm an e-mail address with the mailed token.',
      needs: 'public',
      body: fields({ token }),
      data: nothing,
      signsIn: true,
      idempotent: false,
    }),
    resendEmail: op.post('/email/resend', {
      doc: 'Mail the confirmation again, at most once a minute; the answer is the same whether anybody has the address.',
      needs: 'public',
      body: fields({ email }),
      data: nothing,
      signsIn: true,
      idempotent: false,
    }),
    forgotPassword: op.post('/password/forgot', {
      doc: 'Mail a link to set a new password, at most once a minute; the answer is the same whether anybody has the login.',
      needs: 'public',
      body: fields({ login: string.min(1).max(320) }),
      data: nothing,
      signsIn: true,
      idempotent: false,
    }),
    resetPassword: op.post('/password/reset', {
      doc: 'Set a new password with the mailed token; every session of the account ends.',
      needs: 'public',
      body: fields({ token, newPassword: string.min(1).max(1000) }),
      data: nothing,
      signsIn: true,
      idempotent: false,
    }),
    introspect: op.post('/tokens/introspect', {
      doc: 'Explain a token or key of this tenant: kind, owner, permissions, expiry, last use.',
      needs: 'self',
      byAnyKey: true,
      body: fields({ token: string.min(1).max(4000) }),
      data: TokenIntrospectionDto,
      idempotent: false,
    }),
  },
);
