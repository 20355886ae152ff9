// The engine's RunStore on any Db.
import type { RunStore } from '../../../runtime/ports.ts';
import type { Checkpoint } from '../../../runtime/records.ts';
import type { CouncilRecord } from '../../../runtime/state/council.ts';
import { type Clock, systemClock } from '../../kernel/clock.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Vault } from '../../kernel/vault.ts';
import type { Collection, Db, Entity, Filter } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { Ids } from '../../ports/ids.ts';
import * as spec from './collections.ts';
import { createDocuments, recordOf } from './documents.ts';
import { createEscalationDocuments } from './escalation-documents.ts';
import { createRunDocuments } from './run-documents.ts';
import { createRunSeals } from './sealed.ts';
import { createTreeDocuments } from './tree-documents.ts';

/** Retention of a dead node's name in ms: a node that slept for long learns that it was declared dead. */
const rememberDeadMs = 24 * 3_600_000;

export interface DbRunStore extends RunStore {
  /** Completes writes that a crash has interrupted; call it before the engine runs. */
  repair(): Promise<void>;
  /** Resolves when every write so far is in the logs. */
  drain(): Promise<void>;
}

interface Deps {
  db: Db;
  ids: Ids;
  logger: Logger;
  clock?: Clock;
  /** Whether this process alone writes runs, which saves reads. */
  alone?: boolean;
  /** Vault for secrets of runs; without one they are stored in clear. */
  vault?: Vault;
}

/** Runs, trees, escalations, councils and checkpoints in a Db; `runCollections` names what it needs. */
export function createRunStore({ db, ids, logger, clock = systemClock, alone = false, vault }: Deps): DbRunStore {
  const runs = createRunDocuments({ db, ids, logger, clock, alone, seals: createRunSeals(vault ?? null) });
  const any = (name: string) => db.collection<Entity>(name);
  const checkpoints = db.collection(spec.checkpoints);
  const councilsOf = async (filter: Filter<spec.CouncilDocument>) => {
    const found = await db
      .collection(spec.councils)
      .find(filter, { sort: { _id: 1 } })
      .toArray();
    return found.map((one) => recordOf<CouncilRecord>(one));
  };
  return {
    runs,
    repair: runs.repair,
    drain: runs.drain,
    trees: createTreeDocuments(db, alone),
    escalations: createEscalationDocuments(db),
    councils: {
      ...createDocuments<CouncilRecord>(any(spec.councils.name), () => ({}), []),
      ofRun: (runId) => councilsOf({ runId }),
      ofChat: (chatSessionId) => councilsOf({ chatSessionId }),
    },
    checkpoints: {
      async save({ id, ...checkpoint }) {
        const { runId, createdAt } = checkpoint;
        // The newest is where a run restarts from: a clock that was set back does not make it an older one.
        const others = { runId, createdAt: { $gt: createdAt }, _id: { $ne: id } };
        const later = await checkpoints.findOne(others, { sort: { createdAt: -1 }, projection: { createdAt: 1 } });
        const at = later ? { createdAt: later.createdAt + 1 } : {};
        await checkpoints.replaceOne({ _id: id }, { _id: id, ...checkpoint, ...at }, { upsert: true });
      },
      async list(runId, limit) {
        const found = await checkpoints.find({ runId }, { sort: { createdAt: -1, messageCount: -1 }, limit }).toArray();
        return found.map((one) => recordOf<Checkpoint>(one));
      },
      async get(runId, id) {
        const found = await checkpoints.findOne({ _id: id, runId });
        return found && recordOf<Checkpoint>(found);
      },
    },
    nodes: nodeRegister(db.collection(spec.nodes), clock),
  };
}

function nodeRegister(nodes: Collection<spec.NodeDocument>, clock: Clock): RunStore['nodes'] {
  return {
    async beat(node, beat) {
      try {
        await nodes.updateOne({ _id: node, dead: false }, { $set: { expiresAt: beat } }, { upsert: true });
        return true;
      } catch (error) {
        // The node exists and is dead: the upsert matched nothing and could not insert it.
        if (isDuplicate(error)) return false;
        throw error;
      }
    },
    async beats() {
      const found = await nodes.find({ dead: false }).toArray();
      return found.map(({ _id, expiresAt }) => ({ node: _id, beat: expiresAt }));
    },
    async bury(gone) {
      const bury = (filter: Filter<spec.NodeDocument>) => nodes.updateMany(filter, { $set: { dead: true } });
      if ('allBut' in gone) await bury({ dead: false, _id: { $ne: gone.allBut } } as Filter<spec.NodeDocument>);
      else
        for (const { node, beat } of gone)
          await bury({ dead: false, _id: node, expiresAt: beat } as Filter<spec.NodeDocument>);
      await nodes.deleteMany({ dead: true, expiresAt: { $lte: clock.now() - rememberDeadMs } });
    },
  };
}
