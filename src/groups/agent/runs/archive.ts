// Puts runs away that are at rest: the text of their detail is kept, so that a run which nobody has asked for yet is not
// put together from its parts, and their events are packed, of which a tenth stays on the disk.
import type { Engine } from '../../../../runtime/engine.ts';
import type { RunStore } from '../../../../runtime/ports.ts';
import type { RunRecord } from '../../../../runtime/records.ts';
import { isAtRest } from '../../../../runtime/state/run.ts';
import type { Caller } from '../../../contract/caller.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Logger } from '../../../kernel/logger.ts';
import { createLru } from '../../../kernel/lru.ts';
import { inTurn } from '../../../kernel/rounds.ts';
import type { KeptText, KeptTexts } from '../../../ports/db.ts';
import { isOpenTo } from '../../../ports/in-project.ts';
import type { Publication } from '../../../ports/stream.ts';
import { detailText, type ReadDetail } from './detail.ts';
import { noRun } from './find-run.ts';

/** By what is decided who may read a kept detail. */
export interface DetailFacts {
  tenantId: number;
  projectId: number | null;
}

interface Deps {
  store: Pick<RunStore, 'runs' | 'trees'>;
  viewVersion: Engine['viewVersion'];
  read: (run: RunRecord) => Promise<ReadDetail>;
  /** Null where others write to the store, too. */
  kept: KeptTexts<DetailFacts> | null;
  clock: Clock;
  log: Logger;
}

export interface RunArchive {
  /**
   * JSON text of the detail of a run that was put away; null for any other.
   *
   * @throws Fault NOT_FOUND for a run that is not there for the caller
   */
  detailOf(caller: Caller, runId: number): string | null;
  /** Sees each event that is published, for trees that come to rest. */
  see(event: Publication): void;
  /** A run was read that had not been put away, such as one from before the last start. */
  missed(run: RunRecord): void;
  /** Resolves when nothing is to be put away; what waits for its time is not waited for. */
  idle(): Promise<void>;
  /** Puts nothing more away, and resolves when the run that is being put away is. */
  close(): Promise<void>;
}

/** What follows the end of a run, such as a note or a rating by a program, comes within this time (ms); also of a retry. */
const settleMs = 5000;
/** Runs and trees that wait at most; what is left out is put away once it has been read. */
const mostWaiting = 10_000;
/** Runs that are put away together. */
const atOnce = 16;
/** Longest text, in characters: one that shows a hundred children with long goals. */
const longest = 512_000;

export function createRunArchive(deps: Deps): RunArchive {
  const { store, kept, clock, log } = deps;
  const waiting: { root: number; run: number | null }[] = [];
  /** Runs that were tried after a read: one that cannot be kept would be tried at each. */
  const tried = createLru<number, number>(mostWaiting);
  const putAway = createPutAway(deps);
  let closing = false;

  const work = inTurn(async () => {
    while (!closing && waiting.length > 0) {
      const some = waiting.splice(0, atOnce);
      const runIds = await Promise.all(some.map(({ root, run }) => (run === null ? membersOf(root) : [run])));
      await inGroups(runIds.flat());
    }
  });
  const now = (root: number, run: number | null) => {
    if (closing || waiting.length >= mostWaiting) return;
    waiting.push({ root, run });
    work().catch((err) => log.debug({ err }, 'runs could not be put away'));
  };
  const soon = (root: number, run: number | null) => void clock.after(settleMs, () => now(root, run));

  /** Runs of a group share a write. */
  async function inGroups(runIds: readonly number[]): Promise<void> {
    for (let at = 0; at < runIds.length && !closing; at += atOnce)
      await Promise.all(runIds.slice(at, at + atOnce).map(one));
  }

  async function membersOf(root: number): Promise<number[]> {
    const tree = await store.trees.get(root);
    return tree ? [...tree.members].map(([id]) => id) : [];
  }

  async function one(id: number): Promise<void> {
    try {
      const run = await store.runs.get(id);
      if (!run || !isAtRest(run)) return;
      const outcome = await putAway(run);
      await store.runs.packEvents(id);
      if (outcome === 'kept') tried.delete(id);
      else if (outcome === 'changed') soon(run.rootRunId, id);
    } catch (err) {
      if (!closing) log.debug({ err, runId: id }, 'a run could not be put away');
    }
  }

  return {
    detailOf(caller, runId) {
      const found = kept?.find(runId);
      if (!found) return null;
      const { tenantId, projectId } = found.facts;
      if (tenantId !== caller.tenantId || !isOpenTo(caller, projectId)) throw noRun(runId);
      return found.text;
    },
    see({ type, data }) {
      if (type === 'tree.quiesced' && !closing) soon(Number((data as { rootRunId?: number }).rootRunId), null);
    },
    missed(run) {
      if (!isAtRest(run) || tried.get(run.id) === run.version) return;
      // One that finds no place is asked for again.
      if (waiting.length < mostWaiting) tried.set(run.id, run.version);
      const isSettled = clock.now() - run.updatedAt >= settleMs;
      (isSettled ? now : soon)(run.rootRunId, run.id);
    },
    idle: () => work(),
    async close() {
      closing = true;
      await work();
    },
  };
}

/** Keeps the detail of a run: `changed` where it was written to meanwhile, `never` where it shows more than the run. */
function createPutAway({ store, viewVersion, read, kept }: Omit<Deps, 'clock' | 'log'>) {
  return async (run: RunRecord): Promise<'kept' | 'changed' | 'never'> => {
    let made: KeptText<DetailFacts> | null = null;
    const isKept = await kept?.keep(run.id, run.rootRunId, async () => {
      made = await make(run.id);
      return made;
    });
    if (isKept) return 'kept';
    return made ? 'changed' : 'never';
  };

  /** The run is read again: what is kept must not be older than the moment from which its writes are counted. */
  async function make(id: number): Promise<KeptText<DetailFacts> | null> {
    const run = await store.runs.get(id);
    if (!run || !isAtRest(run) || run.environmentJson !== null) return null;
    const tree = await store.trees.get(run.rootRunId);
    if (tree?.quiescedAt == null || (await viewVersion(run)) === null) return null;
    const detail = await read(run);
    // Who has read a message is shown with it, and is no document of the run.
    if (detail.beside.interactionMessages?.length) return null;
    const text = detailText(detail);
    return text.length > longest ? null : { facts: { tenantId: run.tenantId, projectId: run.projectId }, text };
  }
}
