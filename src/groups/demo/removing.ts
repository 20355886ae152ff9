// Removes what the demo has made: the things whose ids it has noted, by the operations that anybody uses.
import type { Caller } from '../../contract/caller.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Db, Entity } from '../../ports/db.ts';
import type { Perform } from '../../ports/perform.ts';
import { agentRoles } from '../agent/roles/contract.ts';
import { agentRoutines } from '../agent/routines/contract.ts';
import { ledgerRecord } from '../agent/routines/record.ts';
import { agentRuns } from '../agent/runs/contract.ts';
import { aiModels } from '../ai-router/models/contract.ts';
import { aiProviders } from '../ai-router/providers/contract.ts';
import { aiRoutes } from '../ai-router/routes/contract.ts';
import { chat } from '../chat/contract.ts';
import { identities } from '../identities/contract.ts';
import { projects } from '../projects/contract.ts';
import { relationships } from '../relationships/contract.ts';
import { relationshipRecord } from '../relationships/record.ts';
import { users } from '../users/contract.ts';
import type { Held } from './book.ts';
import { type DemoDoc, noted, type Series } from './record.ts';

export interface RemovingDeps {
  db: Db;
  perform: Perform;
  /** Deletes trees of runs that have all ended, as retention does; answers their runs. */
  removeTrees(tenantId: number, roots: readonly number[]): Promise<number[]>;
  /** Deletes what hangs on runs that are gone: a turn that was under way when they were stopped may have written it late. */
  removeLate(tenantId: number, runIds: readonly number[]): Promise<void>;
  /** Runs of these trees. */
  membersOf(tenantId: number, roots: readonly number[]): Promise<number[]>;
  /** Threads of messages of these runs, gone or not, and those in which nobody but these identities wrote. */
  threadsOf(tenantId: number, of: { runIds: readonly number[]; identityIds: readonly number[] }): Promise<number[]>;
  /** Deletes threads with their messages, as retention does. */
  removeThreads(tenantId: number, ids: readonly number[]): Promise<void>;
  /** Deletes chats with their messages, as retention does. */
  removeChats(tenantId: number, ids: readonly number[]): Promise<void>;
}

interface Removing extends RemovingDeps {
  caller: Caller;
  demo: Held;
}

type Going = NonNullable<DemoDoc['going']>;

interface Thing extends Entity {
  _id: number;
  tenantId: number;
  deletedAt?: Date | number | null;
}

/** Milliseconds that a stopped run may take to end. */
const stopMs = 20_000;

export type Removed = Record<string, number>;

/** Removes everything; what is gone already is passed over, so that it may be done again after a crash. */
export async function empty(removing: Removing): Promise<Removed> {
  const { perform, caller } = removing;
  const removed: Removed = {};
  const count = (kind: Series, many: number) => {
    if (many > 0) removed[noted[kind]] = (removed[noted[kind]] ?? 0) + many;
  };
  const each = async (kind: Series, remove: (id: number) => Promise<unknown>) => {
    for (const id of await there(removing, kind)) {
      await remove(id).catch(unlessGone);
      count(kind, 1);
    }
  };

  await noteRunsOfRoutines(removing);
  await each('agent_routines', (id) => perform(agentRoutines, 'remove', caller, { params: { id } }));
  count('agent_runs', await removeRuns(removing));
  count('chat_sessions', await removeChats(removing));
  await each('agent_roles', (id) => perform(agentRoles, 'remove', caller, { params: { id } }));
  await each('ai_routes', (id) => perform(aiRoutes, 'remove', caller, { params: { id } }));
  await each('ai_models', (id) => perform(aiModels, 'remove', caller, { params: { id } }));
  await each('ai_providers', (id) => perform(aiProviders, 'remove', caller, { params: { id }, body: {} }));
  count('project_tasks', (await there(removing, 'project_tasks')).length);
  await each('projects', (id) => removeProject(removing, id));
  await removeRelationships(removing);
  await each('identities', (id) => perform(identities, 'remove', caller, { params: { id } }));
  await each('users', (id) => perform(users, 'remove', caller, { params: { id } }));
  await removing.removeLate(removing.demo.doc.tenantId, removing.demo.doc.going?.runs ?? []);
  // Again: what a run asked as it was stopped may have been told late.
  await removeThreads(removing);
  return removed;
}

/** Ids of a kind that have something. */
async function there({ db, demo }: Removing, kind: Series): Promise<number[]> {
  const { tenantId, ids } = demo.doc;
  const own = { tenantId, _id: { $in: ids[kind] ?? [] } };
  const found = await db.collection<Thing>({ name: kind, indexes: [] }).find(own).toArray();
  return found.filter(({ deletedAt }) => deletedAt == null).map(({ _id }) => _id);
}

/** What its routines have started goes, too; it is noted before they and their ledgers are gone. */
async function noteRunsOfRoutines({ db, demo }: Removing): Promise<void> {
  const { tenantId, ids } = demo.doc;
  const rows = { tenantId, routineId: { $in: ids.agent_routines ?? [] } };
  for (const { agentRunId } of await db.collection(ledgerRecord.spec).find(rows).toArray())
    if (agentRunId !== null && !ids.agent_runs?.includes(agentRunId)) await demo.note('agent_runs', agentRunId);
}

async function removeRuns(removing: Removing): Promise<number> {
  const { perform, caller, demo, removeTrees } = removing;
  for (const id of await there(removing, 'agent_runs')) {
    const run = await perform(agentRuns, 'wait', caller, { params: { id }, query: { timeoutMs: 0 } });
    if (['Completed', 'Failed', 'Cancelled', 'TimedOut'].includes(run.status)) continue;
    const reason = 'The demo is reset.';
    await perform(agentRuns, 'cancel', caller, { params: { id }, body: { reason, cascade: true } });
    const { status } = await perform(agentRuns, 'wait', caller, { params: { id }, query: { timeoutMs: stopMs } });
    if (status !== 'Cancelled' && status !== 'Completed' && status !== 'Failed' && status !== 'TimedOut')
      throw new Fault('CONFLICT', `Run ${id} of the demo has not stopped yet.`, { hint: 'Reset it again.' });
  }
  const { tenantId, ids } = demo.doc;
  const roots = ids.agent_runs ?? [];
  await noteGoing(removing, { runs: [...roots, ...(await removing.membersOf(tenantId, roots))] });
  await removeThreads(removing);
  return (await removeTrees(tenantId, roots)).length;
}

async function removeThreads(removing: Removing): Promise<void> {
  const { tenantId, ids, going } = removing.demo.doc;
  const of = { runIds: going?.runs ?? [], identityIds: ids.identities ?? [] };
  const { threads } = await noteGoing(removing, { threads: await removing.threadsOf(tenantId, of) });
  await removing.removeThreads(tenantId, threads);
}

/** Notes what goes, besides what an earlier reset that was cut short has noted. */
async function noteGoing({ demo }: Removing, { runs = [], threads = [] }: Partial<Going>): Promise<Going> {
  const before = demo.doc.going ?? { runs: [], threads: [] };
  const going = {
    runs: [...new Set([...before.runs, ...runs])],
    threads: [...new Set([...before.threads, ...threads])],
  };
  await demo.change({ going });
  return going;
}

async function removeChats(removing: Removing): Promise<number> {
  const { perform, caller, demo } = removing;
  const ids = await there(removing, 'chat_sessions');
  // One of somebody else is not there for the caller; it was made by the demo all the same.
  for (const id of ids) await perform(chat, 'remove', caller, { params: { id } }).catch(unlessGone);
  await removing.removeChats(demo.doc.tenantId, demo.doc.ids.chat_sessions ?? []);
  return ids.length;
}

/** What its agents were to others, and others to them. */
async function removeRelationships({ db, perform, caller, demo }: Removing): Promise<void> {
  const { tenantId, ids } = demo.doc;
  const those = { $in: ids.identities ?? [] };
  for (const side of [{ identityId: those }, { otherIdentityId: those }])
    for (const { _id } of await db
      .collection(relationshipRecord.spec)
      .find({ tenantId, ...side })
      .toArray())
      await perform(relationships, 'remove', caller, { params: { id: _id } }).catch(unlessGone);
}

async function removeProject({ perform, caller }: Removing, id: number): Promise<void> {
  const { status, key } = await perform(projects, 'get', caller, { params: { id } });
  if (status !== 'Archived') await perform(projects, 'archive', caller, { params: { id }, body: { archived: true } });
  await perform(projects, 'remove', caller, { params: { id }, body: { confirmKey: key } });
}

/** What goes with something else is gone already. */
const unlessGone = (error: unknown): void => {
  if (!(error instanceof Fault) || error.code !== 'NOT_FOUND') throw error;
};
