// Keys that sign access tokens: the newest signs, and the one before it still verifies until its tokens have ended.
import { firstTokenKey, type TokenKeys } from '../auth/jwt.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Vault } from '../kernel/vault.ts';
import { type ServerState, type SigningKey, seenByAllMs } from '../ports/server-state.ts';

/** The longest that an access token may hold: for so long the key before verifies. */
export const signingKeyMs = 24 * 3_600_000;

/** What is not about one tenant is sealed for nobody. */
export const nobodysTenant = 0;

export interface SigningKeys extends TokenKeys {
  rotate(random: string): Promise<{ id: string; previousUntilUtc: string }>;
  /** Seals anew what an earlier secret sealed; a dry run counts it only. */
  sealAnew(dryRun: boolean): Promise<{ sealed: number; renewed: number; unreadable: number }>;
}

/** Keys: the one derived from the server's secret, or random ones that the store has sealed. */
export function createSigningKeys(deps: {
  secret: string;
  vault: Vault;
  state: ServerState;
  clock: Clock;
  /** No other process verifies tokens: a new key signs at once. */
  alone: boolean;
}): SigningKeys {
  const { secret, vault, state, clock } = deps;
  const unseenMs = deps.alone ? 0 : seenByAllMs;
  const first = firstTokenKey(secret);
  const opened = new Map<string, Buffer>();
  const open = (sealed: string): Buffer => {
    let key = opened.get(sealed);
    if (!key) {
      key = Buffer.from(vault.open(nobodysTenant, sealed), 'base64url');
      opened.set(sealed, key);
    }
    return key;
  };
  const holds = (untilUtc: string | null) => untilUtc === null || Date.parse(untilUtc) > clock.now();
  return {
    all() {
      const kept = state.get('signingKeys');
      const rotated = (kept?.keys ?? []).filter(({ untilUtc }) => holds(untilUtc));
      const isFirstOne = !kept || holds(kept.firstUntilUtc);
      return [
        ...rotated.map(({ id, sealed }) => ({ id, key: open(sealed) })),
        ...(isFirstOne ? [{ id: null, key: first }] : []),
      ];
    },
    current() {
      const signs = ({ fromUtc }: SigningKey) => fromUtc === undefined || Date.parse(fromUtc) <= clock.now();
      const newest = state.get('signingKeys')?.keys.find(signs);
      return newest ? { id: newest.id, key: open(newest.sealed) } : { id: null, key: first };
    },
    find(id) {
      const kept = state.get('signingKeys');
      if (id === null) return !kept || holds(kept.firstUntilUtc) ? first : null;
      const found = kept?.keys.find((one) => one.id === id);
      return found && holds(found.untilUtc) ? open(found.sealed) : null;
    },
    async rotate(random) {
      const now = new Date(clock.now());
      const from = now.getTime() + unseenMs;
      const previousUntilUtc = new Date(from + signingKeyMs).toISOString();
      const sealed = vault.seal(nobodysTenant, random);
      const id = `k${now.getTime().toString(36)}`;
      const key = { id, sealed, fromUtc: new Date(from).toISOString(), untilUtc: null };
      await state.change('signingKeys', (old) => ({
        firstUntilUtc: old?.firstUntilUtc ?? previousUntilUtc,
        keys: [
          key,
          ...(old?.keys ?? [])
            .map((one) => ({ ...one, untilUtc: one.untilUtc ?? previousUntilUtc }))
            .filter(({ untilUtc }) => Date.parse(untilUtc) > now.getTime()),
        ],
      }));
      return { id: key.id, previousUntilUtc };
    },
    async sealAnew(dryRun) {
      const keys = state.get('signingKeys')?.keys ?? [];
      const count = { sealed: keys.length, renewed: 0, unreadable: 0 };
      const renewed = new Map<string, string>();
      for (const { sealed } of keys.filter((one) => vault.isStale(one.sealed)))
        try {
          renewed.set(sealed, vault.seal(nobodysTenant, vault.open(nobodysTenant, sealed)));
        } catch {
          count.unreadable++;
        }
      count.renewed = renewed.size;
      if (renewed.size > 0 && !dryRun)
        await state.change('signingKeys', (old) => ({
          firstUntilUtc: old?.firstUntilUtc ?? null,
          keys: (old?.keys ?? []).map((one) => ({ ...one, sealed: renewed.get(one.sealed) ?? one.sealed })),
        }));
      return count;
    },
  };
}
