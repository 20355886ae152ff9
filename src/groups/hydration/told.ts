// What a run or chat starts with: made once, kept as a receipt, and read again where what it is made of changes.
import { hasEnded } from '../../../runtime/state/run.ts';
import { authCollections } from '../../auth/collections.ts';
import type { HydrationSource } from '../../contract/enums.ts';
import { createLru } from '../../kernel/lru.ts';
import { factRecord } from '../../memory/facts/records.ts';
import type { Composed } from '../../memory/hydration/compose.ts';
import type { ChangeCount, Db } from '../../ports/db.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { projectRecord } from '../../projects/record.ts';
import { whereFilled } from '../filled-briefs.ts';
import { interestRecord } from '../interests/record.ts';
import { memoryRecord } from '../memories/record.ts';
import { entrySpec } from '../messages/documents.ts';
import type { Briefed, PartBase, Told } from '../part.ts';
import { handoffRecord } from '../session/record.ts';
import { taskRecord } from '../tasks/record.ts';
import type { HydrationBook } from './book.ts';

/** Tokens that a session starts with at most, and the part of a run's context that may be. */
const mostTokens = 4000;
const shareOfContext = 0.15;
/** Sessions whose text is held, and for how long where a store does not count changes. */
const held = 2000;
const heldMs = 5000;

/** What is told anew at each turn, by the system text or the parts themselves. */
const toldElsewhere: readonly HydrationSource[] = ['Personality', 'StandingRules', 'KeyFacts'];
const ofRuns: ReadonlySet<HydrationSource> = new Set([...toldElsewhere, 'Hints']);
const ofChats: ReadonlySet<HydrationSource> = new Set(toldElsewhere);

/** What contexts are made of: without any of it there is nothing to tell. */
const specs = [memoryRecord, factRecord, projectRecord, taskRecord, interestRecord, handoffRecord]
  .map(({ spec }) => spec)
  .concat(entrySpec as never);

interface Held {
  told: Told | null;
  changes: number;
  at: number;
}

export function createSessionStart(base: PartBase, book: HydrationBook) {
  const identities = perTenant(authCollections(base.db).identities);
  const changesOf = countChanges(base.db);
  const texts = createLru<string, Held>(held);

  const isAtWork = async (tenantId: number, runId: number): Promise<boolean> => {
    const run = await base.findRun(runId, tenantId);
    return run !== null && !hasEnded(run.status);
  };

  async function start(work: Briefed, identityId: number, key: string): Promise<Composed | null> {
    const { tenantId, projectId, horizon, about, contextTokens, runId, chatSessionId } = work;
    const identity = await identities(tenantId).findOne({ _id: identityId, deletedAt: null });
    if (!identity) return null;
    const receipt = await book.keeper.of(tenantId).findOne({ key });
    if (receipt) {
      const { preset, tokenBudget } = receipt;
      const session = await book.sessionOf({
        tenantId,
        identity,
        projectId,
        query: null,
        tokenBudget,
        preset,
        horizon,
      });
      const entries = receipt.entries.filter(({ leftOut }) => leftOut === null);
      return (await book.again({ ...receipt, entries }, session)).composed;
    }
    const tokenBudget = Math.min(mostTokens, Math.floor((contextTokens ?? Number.POSITIVE_INFINITY) * shareOfContext));
    const leaving = runId === null ? ofChats : ofRuns;
    const made = await book.make({ tenantId, identity, projectId, query: about, tokenBudget, horizon, leaving });
    await book.keep(key, made, { runId, chatSessionId, tokenBudget });
    // A run may be cancelled and removed while its context is made: nothing stays of it.
    if (runId !== null && !(await isAtWork(tenantId, runId))) await book.keeper.of(tenantId).deleteMany({ key });
    return made.composed;
  }

  const brief = whereFilled(base.db, specs, async (work: Briefed & { identityId: number }): Promise<Told | null> => {
    const key = work.runId === null ? `chat:${work.chatSessionId}:${work.identityId}` : `run:${work.runId}`;
    const changes = changesOf(work.tenantId);
    const known = texts.get(key);
    const isNew = known && known.changes === changes && (changes > 0 || base.clock.steady() - known.at < heldMs);
    if (isNew) return known.told;
    const told = toTold(await start(work, work.identityId, key));
    texts.set(key, { told, changes, at: base.clock.steady() });
    return told;
  });

  return async (work: Briefed): Promise<Told | null> =>
    work.identityId !== null && work.hydrate ? brief({ ...work, identityId: work.identityId }) : null;
}

function toTold(composed: Composed | null): Told | null {
  if (!composed?.markdown) return null;
  const recalled = composed.entries
    .filter(({ leftOut }) => leftOut === null)
    .map(({ source, kind, id, why, tokens }) => ({ source, kind, id, why, tokens }));
  return { text: composed.markdown, recalled };
}

/** Counts the changes of all that contexts are made of; 0 where the store does not count. */
function countChanges({ changes }: Pick<Db, 'changes'>): ChangeCount {
  if (!changes) return () => 0;
  const counts = specs.map((spec) => changes(spec as never, 'tenantId' as never));
  return (tenantId) => 1 + counts.reduce((sum, count) => sum + count(tenantId), 0);
}
