// Tasks and receivers as they are kept, and how a task stands.
import type { RunRecord } from '../../../runtime/records.ts';
import type { EscalationRecord } from '../../../runtime/state/escalation.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Vault } from '../../kernel/vault.ts';
import type { Db } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import { mayReadIn } from '../../ports/in-project.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { createReadyMatchers } from '../ready-matchers.ts';
import { type A2aReceiverDoc, type A2aTaskDoc, a2aDeliverySpec, a2aReceiverSpec, a2aTaskSpec } from './record.ts';
import { openQuestion, type Standing } from './tasks.ts';

export interface BookDeps {
  db: Db;
  clock: Clock;
  vault: Vault;
  getRun(id: number, tenantId?: number): Promise<RunRecord | null>;
  escalationsOf(runId: number): Promise<EscalationRecord[]>;
}

/** A receiver with what it takes. */
export interface Ready {
  receiver: A2aReceiverDoc;
  takes(event: { type: string; data: unknown }): boolean;
}

export type A2aBook = ReturnType<typeof createA2aBook>;

export function createA2aBook({ db, clock, vault, getRun, escalationsOf }: BookDeps) {
  const tasks = perTenant(db.collection(a2aTaskSpec));
  const receivers = db.collection(a2aReceiverSpec);
  const ready = createReadyMatchers(clock, async (tenantId): Promise<Ready[]> => {
    const found = await receivers.find({ tenantId }).toArray();
    return found.map((receiver) => ({ receiver, takes: (event) => isAbout(receiver, event) }));
  });
  const standingOf = async (task: A2aTaskDoc): Promise<Standing | null> => {
    const run = task.runId === null ? null : await getRun(task.runId, task.tenantId);
    if (!run) return null;
    const question = run.status === 'WaitingForDecision' ? openQuestion(await escalationsOf(run.id)) : null;
    return { task, run, question };
  };
  return {
    tasks,
    receivers,
    deliveries: db.collection(a2aDeliverySpec),
    vault,
    ready,
    standingOf,
    /** How a task of a bot stands for who may read its run; null for any other. */
    async find({ tenantId, projects }: Caller, botId: number, id: string): Promise<Standing | null> {
      const task = await tasks(tenantId).findOne({ _id: id, botId });
      const standing = task && (await standingOf(task));
      return standing && mayReadIn({ projects }, standing.run.projectId) ? standing : null;
    },
    /** A task that begins, or the one that the same request has begun before. */
    async begin(task: A2aTaskDoc): Promise<A2aTaskDoc> {
      try {
        await tasks(task.tenantId).insertOne(task);
        return task;
      } catch (error) {
        const before = isDuplicate(error) && (await tasks(task.tenantId).findOne({ key: task.key }));
        if (before) return before;
        throw error;
      }
    },
    async began({ tenantId, _id }: A2aTaskDoc, runId: number): Promise<void> {
      await tasks(tenantId).updateOne({ _id }, { $set: { runId } });
    },
    /** Keeps what was said in a task. */
    async say({ tenantId, _id }: A2aTaskDoc, messages: readonly string[]): Promise<void> {
      await tasks(tenantId).updateOne({ _id }, { $push: { messages: { $each: messages } } });
    },
  };
}

/** Only changes of status are sent. */
const isAbout = ({ runId }: A2aReceiverDoc, { type, data }: { type: string; data: unknown }): boolean =>
  type === 'run.status' && (data as { id?: unknown } | null)?.id === runId;
