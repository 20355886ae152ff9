// What people see of consents that they gave.
import type { z } from 'zod';
import { boolean, dto, int64, string } from '../../contract/types.ts';

export const OAuthConsentResultDto = dto('OAuthConsentResultDto', {
  redirectUrl: string,
  approved: boolean,
  grantSessionId: int64.nullable(),
});
export type OAuthConsentResultDto = z.output<typeof OAuthConsentResultDto>;
