// What a run is told of the work that was left for its identity.
import type { IdentityDoc } from '../../auth/documents.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Filter } from '../../ports/db.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import { hydrates } from '../identities/settings.ts';
import { shortened } from '../texts.ts';
import type { HandoffDoc } from './record.ts';

interface Deps {
  handoffs: PerTenant<HandoffDoc>;
  identities: PerTenant<IdentityDoc>;
  clock: Clock;
}

/** Characters of the summary, and next steps, that are told. */
const shownCharacters = 1500;
const shownSteps = 10;

/** The newest hand-off that waits for the identity of a run, as text; null where there is none or it wants none. */
export function createHandoffBriefs({ handoffs, identities, clock }: Deps) {
  return async ({ tenantId, identityId }: { tenantId: number; identityId: number }): Promise<string | null> => {
    const open = { claimed: false, $or: [{ expiresAt: null }, { expiresAt: { $gt: new Date(clock.now()) } }] };
    const one = await handoffs(tenantId).findOne({ forIdentityId: identityId, ...open } as Filter<HandoffDoc>, {
      sort: { createdAt: -1 },
    });
    const identity = one && (await identities(tenantId).findOne({ _id: identityId }));
    if (!identity || !hydrates(identity, 'Handoff')) return null;
    const { _id, fromIdentityName, title, summary, nextSteps, openQuestions } = one;
    return [
      `Work that ${fromIdentityName} left for you (hand-off #${_id}), which nobody has taken over yet: ${title}`,
      shortened(summary, shownCharacters),
      ...list('Next steps', nextSteps),
      ...list('Open questions', openQuestions),
    ].join('\n');
  };
}

const list = (label: string, items: readonly string[]) =>
  items.length === 0 ? [] : [`${label}:`, ...items.slice(0, shownSteps).map((one) => `- ${one}`)];
