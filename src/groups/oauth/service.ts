// Takes what people answer to programs that ask for access.
import { implement } from '../../contract/operation.ts';
import type { OAuthServer } from '../oauth-server/server.ts';
import { oauth } from './contract.ts';

export const oauthService = implement(oauth, ({ consents }: Pick<OAuthServer, 'consents'>) => ({
  consent: ({ caller, body, request }) => consents.answer(caller, body, request),
}));
