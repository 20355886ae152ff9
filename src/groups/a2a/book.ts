// Tasks and receivers as they are kept, and how a task stands.
import type { Artifact, Task } from '@a2a-js/sdk';
import type { RunRecord } from '../../../runtime/records.ts';
import type { EscalationRecord } from '../../../runtime/state/escalation.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Vault } from '../../kernel/vault.ts';
import type { Collection, Db } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import { mayReadIn } from '../../ports/in-project.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { createReadyMatchers, type ReadySignals } from '../ready-matchers.ts';
import type { HowFiles } from './made-files.ts';
import { type A2aReceiverDoc, type A2aTaskDoc, a2aDeliverySpec, a2aReceiverSpec, a2aTaskSpec } from './record.ts';
import { openQuestion, type Standing, taskOf } from './tasks.ts';

export interface BookDeps {
  db: Db;
  clock: Clock;
  vault: Vault;
  getRun(id: number, tenantId?: number): Promise<RunRecord | null>;
  escalationsOf(runId: number): Promise<EscalationRecord[]>;
  madeFiles(run: RunRecord, how: HowFiles): Promise<Artifact[]>;
  /** Tell other nodes which tenants and runs have receivers now; null where there are none. */
  signals: Record<'tenants' | 'runs', ReadySignals | null>;
}

/** A receiver with what it takes. */
export interface Ready {
  receiver: A2aReceiverDoc;
  takes(event: { tenantId: number }): boolean;
}

interface Event {
  type: string;
  data: unknown;
}

export type A2aBook = ReturnType<typeof createA2aBook>;

export function createA2aBook({ db, clock, vault, getRun, escalationsOf, madeFiles, signals }: BookDeps) {
  const tasks = perTenant(db.collection(a2aTaskSpec));
  const receivers = db.collection(a2aReceiverSpec);
  const ready = createReady(receivers, clock, signals);
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
    /** A task as clients are told of it. */
    shown: async (standing: Standing, historyLength?: number, how: HowFiles = 'whole'): Promise<Task> =>
      taskOf(standing, historyLength, await madeFiles(standing.run, how)),
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

/** Receivers by the run that an event is about: a tenant may have more of them than memory should hold. */
function createReady(receivers: Collection<A2aReceiverDoc>, clock: Clock, signals: BookDeps['signals']) {
  const any = createReadyMatchers({ clock, signals: signals.tenants }, (tenantId) =>
    receivers.find({ tenantId }, { limit: 1 }).toArray(),
  );
  const ofRun = createReadyMatchers({ clock, signals: signals.runs }, async (runId): Promise<Ready[]> => {
    const found = await receivers.find({ runId }).toArray();
    return found.map((receiver) => ({ receiver, takes: ({ tenantId }) => tenantId === receiver.tenantId }));
  });
  const none: readonly Ready[] = [];
  return {
    known(tenantId: number, event: Event): readonly Ready[] | undefined {
      const runId = changedRun(event);
      if (runId === null || any.known(tenantId)?.length === 0) return none;
      return any.known(tenantId) && ofRun.known(runId);
    },
    async read(tenantId: number, event: Event): Promise<readonly Ready[]> {
      const runId = changedRun(event);
      return runId === null || (await any.read(tenantId)).length === 0 ? none : ofRun.read(runId);
    },
    /** Forgets what is known of a run; call after its receivers have changed. */
    changed(tenantId: number, runId: number): void {
      any.changed(tenantId);
      ofRun.changed(runId);
    },
  };
}

/** The run whose status an event changes: nothing else is sent. */
function changedRun({ type, data }: Event): number | null {
  const id = type === 'run.status' ? (data as { id?: unknown } | null)?.id : null;
  return typeof id === 'number' ? id : null;
}
