// What a run is told of the hints of its identity that are due.
import type { IdentityDoc } from '../../../auth/documents.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { PerTenant } from '../../../ports/tenanted.ts';
import { oneLine, shortened } from '../../texts.ts';
import { hydrates } from '../settings.ts';
import { dueNow } from './due.ts';
import type { HintDoc } from './record.ts';

/** Hints that are told, and characters of each. */
const shownHints = 5;
const shownCharacters = 300;

interface Deps {
  hints: PerTenant<HintDoc>;
  identities: PerTenant<IdentityDoc>;
  clock: Clock;
}

/** The most important hints that are due, as text; null where there are none or its identity wants none. */
export function createHintBriefs({ hints, identities, clock }: Deps) {
  return async ({ tenantId, identityId }: { tenantId: number; identityId: number }): Promise<string | null> => {
    const due = await hints(tenantId)
      .find({ identityId, ...dueNow(clock.now()) }, { sort: { priority: -1, _id: 1 }, limit: shownHints })
      .toArray();
    const identity = due.length === 0 ? null : await identities(tenantId).findOne({ _id: identityId });
    if (!identity || !hydrates(identity, 'Hints')) return null;
    const lines = due.map(({ _id, content }) => `- hint #${_id}: ${shortened(oneLine(content), shownCharacters)}`);
    return `Reminders that are due:\n${lines.join('\n')}`;
  };
}
