// The pool of keys of a provider.
import type { Handlers } from '../../../contract/operation.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Vault } from '../../../kernel/vault.ts';
import type { ProviderDoc, ProviderKeyDoc } from '../../../ports/ai-router.ts';
import type { Draft } from '../../../ports/record.ts';
import { defined } from '../../fields.ts';
import type { AiRouterStore } from '../store.ts';
import type { aiProviders } from './contract.ts';
import { toKeyDto } from './to-dto.ts';

interface KeyDeps {
  store: AiRouterStore;
  vault: Vault;
  clock: Clock;
}

type KeyHandlers = Pick<Handlers<typeof aiProviders>, 'listKeys' | 'createKey' | 'patchKey' | 'removeKey'>;

export function keyHandlers({ store, vault, clock }: KeyDeps): KeyHandlers {
  const { providers, keys } = store;
  return {
    listKeys: async ({ caller, params }) => {
      const { _id: providerId } = await providers.get(caller, params.providerId);
      const found = await keys
        .of(caller.tenantId)
        .find({ providerId }, { sort: { _id: 1 } })
        .toArray();
      return found.map((key) => toKeyDto(key, clock));
    },
    createKey: async ({ caller, params, body }) => {
      const provider = await providers.get(caller, params.providerId);
      const { expiresAtUtc, ...rest } = body;
      const expiresAt = expiresAtUtc ? new Date(expiresAtUtc) : null;
      return toKeyDto(await keys.insert(caller, keyFields(provider, { ...rest, expiresAt }, vault)), clock);
    },
    patchKey: async ({ caller, params, body }) => {
      const { apiKey, expiresAtUtc, ...rest } = body;
      const changed = await keys.change(caller, params.id, {
        ...defined(rest),
        ...(expiresAtUtc !== undefined && { expiresAt: expiresAtUtc ? new Date(expiresAtUtc) : null }),
        // A new key has no past.
        ...(apiKey !== undefined && {
          ...sealed(caller.tenantId, apiKey, vault),
          failureCount: 0,
          cooldownUntil: null,
        }),
      });
      return toKeyDto(changed, clock);
    },
    removeKey: async ({ caller, params }) => {
      await keys.remove(caller, params.id);
      return null;
    },
  };
}

const sealed = (tenantId: number, apiKey: string, vault: Vault) => ({
  sealedKey: vault.seal(tenantId, apiKey),
  // Of a short key four characters would tell too much.
  last4: apiKey.length >= 12 ? apiKey.slice(-4) : '••••',
});

interface NewKey {
  label: string;
  apiKey: string;
  weight?: number | null | undefined;
  enabled?: boolean | null | undefined;
  monthlyLimitUsd?: number | null | undefined;
  expiresAt?: Date | null | undefined;
}

/** A new key of a provider, sealed. */
export function keyFields(provider: ProviderDoc, key: NewKey, vault: Vault): Draft<ProviderKeyDoc> {
  return {
    providerId: provider._id,
    label: key.label,
    ...sealed(provider.tenantId, key.apiKey, vault),
    weight: key.weight ?? 1,
    enabled: key.enabled ?? true,
    monthlyLimitUsd: key.monthlyLimitUsd ?? null,
    spentUsd: 0,
    spentMonth: '',
    failureCount: 0,
    cooldownUntil: null,
    lastUsedAt: null,
    expiresAt: key.expiresAt ?? null,
  };
}
