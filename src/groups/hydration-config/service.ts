// Keeps what runs and chats of an identity are told; a field of the identity's document.
import { implement } from '../../contract/operation.ts';
import type { People } from '../identities/people.ts';
import { settingOf } from '../identities/settings.ts';
import { hydrationConfig } from './contract.ts';

export const hydrationConfigService = implement(hydrationConfig, ({ people }: { people: People }) => ({
  get: async ({ caller, params }) => settingOf(await people.get(caller, params.identityId), 'hydration'),
  replace: async ({ caller, params, body }) =>
    settingOf(await people.change(caller, params.identityId, { hydration: body }), 'hydration'),
}));
