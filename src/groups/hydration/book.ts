// Makes contexts with their receipts: previews for who asks, and the one that a run or chat starts with and keeps.
import { createHash } from 'node:crypto';
import type { IdentityDoc } from '../../auth/documents.ts';
import type { ProjectRights } from '../../contract/caller.ts';
import type { HydrationSource } from '../../contract/enums.ts';
import type { Horizon } from '../../memory/facts/version.ts';
import { type Composed, compose, type Entry, keyOf, type Proposal } from '../../memory/hydration/compose.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import { createKeeper, type Keeper } from '../../ports/keeper.ts';
import { createProjectAccess, type ProjectAccess } from '../../projects/access.ts';
import { settingOf } from '../identities/settings.ts';
import type { PartBase } from '../part.ts';
import { createGathering, type Gathered } from './gather.ts';
import { createKinds, type Session, shelvesOf } from './kinds.ts';
import { type ReceiptDoc, receiptRecord } from './record.ts';
import { createSources } from './sources.ts';

export interface Asked {
  tenantId: number;
  identity: IdentityDoc;
  projectId: number | null;
  query: string | null;
  tokenBudget: number | null;
  preset?: string | undefined;
  horizon?: Horizon | null;
  /** What the caller may not know of, besides what the identity may not. */
  rights?: ProjectRights | null | undefined;
  /** Sources that are told by somebody else, or not wanted. */
  leaving?: ReadonlySet<HydrationSource>;
}

export interface Made extends Gathered {
  session: Session;
  composed: Composed;
}

export function createHydrationBook(base: PartBase) {
  const shelves = shelvesOf(base);
  const kinds = createKinds(shelves);
  const gathering = createGathering({ kinds, sources: createSources(base, shelves), clock: base.clock });
  const keeper = createKeeper(receiptRecord, base);

  const sessionOf = sessionsOf(createProjectAccess(base));
  const keep = createKeep(keeper);

  return {
    shelves,
    keeper,
    sessionOf,
    keep,
    async make(asked: Asked): Promise<Made> {
      const session = await sessionOf(asked);
      const gathered = await gathering.gather(session, asked.leaving);
      return { ...gathered, session, composed: compose(gathered.proposals, asked) };
    },
    /** A preview's receipt; the same preview again has the same one. */
    preview: (made: Made, tokenBudget: number | null) => {
      const { identity, projectId, config } = made.session;
      const about = JSON.stringify([identity._id, projectId, config.preset, tokenBudget, made.composed.entries]);
      const key = `preview:${createHash('sha256').update(about).digest('base64url')}`;
      return keep(key, made, { runId: null, chatSessionId: null, tokenBudget });
    },
    /** A receipt's context, from what is there now. */
    async again(receipt: ReceiptDoc, session: Session, without: ReadonlySet<string> = new Set()) {
      const found = await gathering.again(session, receipt.entries);
      const proposals = proposalsOf(found);
      const composed = compose(proposals, { tokenBudget: receipt.tokenBudget, without });
      const there = new Set(found.map(keyOf));
      return { composed, gone: receipt.entries.filter((one) => !there.has(keyOf(one))) };
    },
  };
}
export type HydrationBook = ReturnType<typeof createHydrationBook>;

type Kept = Pick<ReceiptDoc, 'runId' | 'chatSessionId' | 'tokenBudget'>;

function proposalsOf(found: readonly (Pick<Entry, 'source'> & Proposal['candidates'][number])[]): Proposal[] {
  const sources = [...new Set(found.map(({ source }) => source))];
  return sources.map((source) => {
    const candidates = found.filter((one) => one.source === source);
    return { source, enabled: true, candidates, candidateCount: candidates.length, tookMs: 0 };
  });
}

/** Nothing that either the identity or the caller may not know of is told. */
const sessionsOf =
  (access: ProjectAccess) =>
  async ({ tenantId, identity, projectId, query, preset, rights, ...asked }: Asked): Promise<Session> => {
    const work = await access.rightsOfWork({ tenantId, identityId: identity._id, projectId });
    const config = settingOf(identity, 'hydration');
    return {
      tenantId,
      identity,
      projectId,
      query,
      config: preset === undefined ? config : { ...config, preset },
      hidden: new Set([...work.hidden, ...(rights?.hidden ?? [])]),
      horizon: asked.horizon ?? null,
      hits: new Map(),
    };
  };

/** The receipt of a key: the one that is there, or a new one. */
const createKeep =
  (keeper: Keeper<ReceiptDoc>) =>
  async (key: string, { session, composed }: Pick<Made, 'session' | 'composed'>, asked: Kept) => {
    const { tenantId, identity, projectId, config, horizon } = session;
    const there = await keeper.of(tenantId).findOne({ key });
    if (there) return there;
    try {
      return await keeper.insert(
        { tenantId },
        {
          identityId: identity._id,
          projectId,
          ...asked,
          preset: config.preset,
          tokenEstimate: composed.tokens,
          entries: composed.entries,
          horizon: horizon && { recordedBy: horizon.recordedBy, rootRunId: horizon.rootRunId ?? null },
          key,
        },
      );
    } catch (error) {
      // Another node was faster.
      const first = isDuplicate(error) ? await keeper.of(tenantId).findOne({ key }) : null;
      if (first) return first;
      throw error;
    }
  };
