// Operations by which people let programs in.
import { z } from 'zod';
import { group, op } from '../../contract/operation.ts';
import { boolean, fields, int64, string } from '../../contract/types.ts';
import { OAuthConsentResultDto } from './dto.ts';

export const oauth = group(
  'OAuth',
  { base: '/api/oauth', doc: 'Consent of people to programs that ask for access.' },
  {
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
