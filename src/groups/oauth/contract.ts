// Operations by which people sign in with a provider, and let programs in.
import { z } from 'zod';
import { OAuthIntent } from '../../contract/enums.ts';
import { group, op } from '../../contract/operation.ts';
import { boolean, fields, int64, nothing, string } from '../../contract/types.ts';
import { AuthTokenDto } from '../auth/dto.ts';
import { ExternalLoginDto, OAuthConsentResultDto, OAuthProviderDto, OAuthStartDto } from './dto.ts';

/** What a provider hands back through the browser. */
const back = string.max(8000);

export const oauth = group(
  'OAuth',
  { base: '/api/oauth', doc: 'Sign-in of people with providers, and their consent to programs that ask for access.' },
  {
    providers: op.get('/providers', {
      doc: 'List the sign-in providers that are configured.',
      needs: 'public',
      data: z.array(OAuthProviderDto),
    }),
    start: op.get('/providers/{provider}/start', {
      doc: 'Begin to sign in with a provider, or, as who is signed in, to link a login of it: the answer names its page, or sends the browser there with redirect. The same browser comes back, within ten minutes, and goes on to returnUrl with signInCode, or signInError and the code of an error, in the query, or in that of its fragment.',
      needs: 'public',
      knowsCaller: true,
      query: fields({
        returnUrl: string.max(2000).optional(),
        intent: OAuthIntent.optional(),
        redirect: boolean.optional(),
      }),
      data: OAuthStartDto,
      orFile: true,
      mediaType: 'text/html',
    }),
    callback: op.get('/providers/{provider}/callback', {
      doc: 'Take a browser back from a provider, which is asked who the person is, and send it on with a one-time code.',
      needs: 'public',
      audit: true,
      // A client ignores what it does not know of such an answer (RFC 6749, 4.1.2).
      query: z.object({
        ...{ state: back, code: back.optional(), error: back.optional() },
        ...{ error_description: back.optional(), iss: back.optional() },
      }),
      data: nothing,
      orFile: true,
      mediaType: 'text/html',
    }),
    exchange: op.post('/exchange', {
      doc: 'Trade the one-time code of a sign-in for session tokens, within a minute. With useCookie the refresh token comes in a cookie that no script can read.',
      needs: 'public',
      body: fields({
        code: string.min(1).max(200),
        deviceName: string.max(200).nullish(),
        useCookie: boolean.nullish(),
      }),
      data: AuthTokenDto,
      signsIn: true,
      idempotent: false,
    }),
    links: op.get('/links', {
      doc: 'List my logins at sign-in providers.',
      needs: 'self',
      data: z.array(ExternalLoginDto),
    }),
    unlink: op.delete('/links/{id}', {
      doc: 'Unlink a login that is not the last way in.',
      needs: 'self',
      data: nothing,
    }),
    consent: op.post('/consents', {
      doc: 'Let a program in, with all scopes that it asked for or fewer, as one of my identities; or refuse it. The answer says where to go back to.',
      needs: 'self',
      idempotent: false,
      body: fields({
        requestId: string.min(1).max(200),
        approved: boolean,
        scopes: z.array(string.max(100)).max(100).nullish(),
        identityId: int64.nullish(),
      }),
      data: OAuthConsentResultDto,
    }),
  },
);
