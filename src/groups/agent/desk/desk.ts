// The desk of a run, as the engine sees it: notes, tasks and messages, each made once a key.
import type { Desk } from '../../../../runtime/ports.ts';
import type { RunRecord } from '../../../../runtime/records.ts';
import type { IdentityDoc } from '../../../auth/documents.ts';
import { AgentRunNoteType, MessagePriority, TaskStatus } from '../../../contract/enums.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { PerTenant } from '../../../ports/tenanted.ts';
import type { Inbox } from '../../messages/inbox.ts';
import type { Notes } from '../notes/notes.ts';
import type { Tasks } from '../tasks/tasks.ts';
import type { findPeopleFor } from './people.ts';

export interface DeskDeps {
  notes: Notes;
  tasks: Tasks;
  inbox: Inbox;
  identities: PerTenant<IdentityDoc>;
  people: ReturnType<typeof findPeopleFor>;
  getRun: (id: number, tenantId: number) => Promise<RunRecord | null>;
}

/** Whom a run writes to. */
interface Address {
  recipientIds: number[];
  toRunId: number | null;
  /** Whether it gets through whatever messaging policies say. */
  anyway: boolean;
}

export function createDesk({ notes, tasks, inbox, identities, people, getRun }: DeskDeps): Desk {
  /** Whom a run means by `to`: `parent`, `run:42`, `steward`, `#7`, or an identity's name. */
  const address = async (run: RunRecord, to: string): Promise<Address> => {
    const target = to.trim();
    const runId = /^run:(\d+)$/i.exec(target)?.[1];
    if (runId !== undefined || /^parent$/i.test(target)) {
      const other = await getRun(runId === undefined ? (run.parentRunId ?? 0) : Number(runId), run.tenantId);
      if (other?.tenantId !== run.tenantId) throw nobody(to);
      // Runs of one tree work together, whatever their identities think of mail.
      const anyway = other.rootRunId === run.rootRunId;
      return { recipientIds: [other.identityId], toRunId: other.id, anyway };
    }
    if (/^(steward|owner|human)$/i.test(target)) {
      const stewards = await people(run);
      if (stewards.length === 0) throw nobody(to);
      return { recipientIds: stewards.map((one) => one._id), toRunId: null, anyway: false };
    }
    const id = /^#?(\d+)$/.exec(target)?.[1];
    const which = id === undefined ? { nameKey: target.toLowerCase() } : { _id: Number(id) };
    const identity = await identities(run.tenantId).findOne({ ...which, deletedAt: null });
    if (!identity) throw nobody(to);
    return { recipientIds: [identity._id], toRunId: null, anyway: false };
  };

  return {
    async addNote(run, { type, content }, key) {
      const known = AgentRunNoteType.safeParse(type);
      await notes.add({
        tenantId: run.tenantId,
        runId: run.id,
        taskId: run.taskId,
        type: known.success ? known.data : 'Observation',
        content,
        key,
      });
    },
    async createTask(run, { title, description, status }, key) {
      const task = await tasks.create(run, { title, description, status: toTaskStatus(status), key });
      return { id: task._id };
    },
    async updateTask(run, id, { status, ...change }, key) {
      const { tenantId, rootRunId } = run;
      await tasks.change(
        { tenantId, id, rootRunId, key: `${run.id}:${key}` },
        { ...change, ...(status === undefined ? {} : { status: toTaskStatus(status) }) },
      );
    },
    async sendMessage(run, { to, content, priority }, key) {
      const known = MessagePriority.safeParse(priority);
      const { recipientIds, toRunId, anyway } = await address(run, to);
      const { message } = await inbox.send({
        tenantId: run.tenantId,
        senderId: run.identityId,
        recipientIds,
        content,
        priority: known.success ? known.data : 'Normal',
        runId: toRunId ?? run.id,
        projectId: run.projectId,
        toRunId,
        anyway,
        key: `run:${run.id}:${key}`,
      });
      return { id: message.id };
    },
  };
}

function toTaskStatus(status: string): TaskStatus {
  const known = TaskStatus.safeParse(status);
  if (known.success) return known.data;
  throw new Fault('VALIDATION_FAILED', `There is no task status ${status}.`, {
    hint: `Use one of ${TaskStatus.options.join(', ')}.`,
  });
}

const nobody = (to: string) =>
  new Fault('NOT_FOUND', `There is nobody called ${to}.`, {
    hint: 'Name an identity, its number as #7, a run as run:42, parent, or steward.',
  });
