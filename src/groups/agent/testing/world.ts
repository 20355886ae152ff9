// A tenant with an administrator, what was published, and runs by id: for tests of the Agent group's services.
import type { EventDraft, RunRecord } from '../../../../runtime/records.ts';
import { adminKey, createAuthWorld } from '../../../../test/support/auth-world.ts';
import { expand, rolePermissions } from '../../../auth/permissions.ts';
import { rankOf } from '../../../auth/rank.ts';
import type { Caller } from '../../../contract/caller.ts';
import type { RequestInfo } from '../../../contract/operation.ts';
import { Fault } from '../../../kernel/fault.ts';
import { silentLogger } from '../../../kernel/logger.ts';
import type { AnyCollectionSpec } from '../../../ports/db.ts';
import type { Publication } from '../../../ports/stream.ts';
import { perTenant } from '../../../ports/tenanted.ts';
import { createRepairs } from '../../../stores/repairs.ts';
import { createPeople } from '../../identities/people.ts';
import { createPresenceStates } from '../../identities/presence-states.ts';
import { identitiesService } from '../../identities/service.ts';
import type { DeliverToRun } from '../../messages/delivery.ts';
import { messageSpecs } from '../../messages/documents.ts';
import { createInbox } from '../../messages/inbox.ts';
import { createFindRun } from '../runs/find-run.ts';

export const request: RequestInfo = {
  id: 'test',
  signal: new AbortController().signal,
  wantsStream: false,
  lastEventId: null,
  ip: '::1',
  userAgent: null,
  header: () => undefined,
  bytes: Buffer.alloc(0),
  answerWith: () => {},
};
export const noQuery = { query: undefined, request };
export const paging = { page: 1, pageSize: 50 };

/** The code of the Fault that some work ends with. */
export const codeOf = async (work: () => unknown): Promise<string> => {
  try {
    await work();
    return 'no fault';
  } catch (error) {
    return error instanceof Fault ? error.code : String(error);
  }
};

export async function createAgentWorld(specs: readonly AnyCollectionSpec[] = []) {
  const world = await createAuthWorld([...messageSpecs, ...specs]);
  const { db, ids, clock, auth } = world;
  const { tenantId, administrator } = await world.boot({ adminKey });
  const caller = await world.authenticator.fromToken(adminKey, '::1');
  const published: Publication[] = [];
  const publisher = { publish: async (event: Publication) => void published.push(structuredClone(event)) };
  const repairs = createRepairs({ db, clock, logger: silentLogger });
  const runs = new Map<number, RunRecord>();
  const logged: ({ runId: number } & EventDraft)[] = [];
  const getRun = async (id: number) => runs.get(id) ?? null;
  /** What runs were given to read; `refuse` stands for a run that has ended, `deliver` for a whole engine. */
  const engine = {
    read: [] as { runId: number; text: string; key: string }[],
    refuse: null as unknown,
    deliver: (async (runId, { key, text }) => {
      if (engine.refuse) throw engine.refuse;
      if (!engine.read.some((one) => one.key === key)) engine.read.push({ runId, text, key });
    }) as DeliverToRun,
  };
  const identities = perTenant(auth.identities);
  const users = perTenant(auth.users);
  const inbox = createInbox({
    db,
    ids,
    clock,
    publisher,
    repairs,
    identities,
    deliver: (runId, message) => engine.deliver(runId, message),
  });
  const makeIdentity = identitiesService({
    people: createPeople({ ...world, publisher, accessChanged: () => {} }),
    acting: world.acting,
    clock,
    presence: createPresenceStates({ db, identities, publisher, clock }),
  }).handlers;
  return {
    ...world,
    tenantId,
    administrator,
    caller,
    published,
    publisher,
    repairs,
    engine,
    inbox,
    identities,
    users,
    runs,
    getRun,
    findRun: createFindRun(getRun),
    /** What services wrote into the logs of runs. */
    logged,
    log: async (runId: number, events: EventDraft[]) =>
      void logged.push(...events.map((event) => ({ runId, ...event }))),
    /** Puts a run where `findRun` finds it; fields that no test names are left out. */
    addRun(fields: Partial<RunRecord> = {}): RunRecord {
      const id = fields.id ?? runs.size + 1;
      const run = {
        tenantId,
        identityId: administrator._id,
        identityName: administrator.name,
        rootRunId: id,
        parentRunId: null,
        projectId: null,
        taskId: null,
        status: 'Running',
        goal: 'Count the stars',
        role: 'worker',
        roleDefinitionId: null,
        toolProfileName: null,
        modelId: null,
        startedByUserId: null,
        contractDeliverable: null,
        contractDestination: null,
        inbox: [],
        createdAt: clock.now(),
        ...fields,
        id,
      } as RunRecord;
      runs.set(id, run);
      return run;
    },
    addIdentity: (name: string, type: 'AI' | 'Human' = 'AI') =>
      makeIdentity.create({ ...noQuery, params: {}, caller, body: { name, type } }),
    /** The administrator as another identity, with all its permissions. */
    as: (identity: { id: number; userId: number | null; displayName: string }): Caller => ({
      ...caller,
      identityId: identity.id,
      userId: identity.userId,
      name: identity.displayName,
      role: 'Agent',
      rank: rankOf('Agent'),
      permissions: expand(rolePermissions.Agent),
    }),
    /** Types and topics of what was published since the last look. */
    events: () => published.splice(0).map(({ type, topics }) => `${type} → ${topics.join(' ')}`),
  };
}
export type AgentWorld = Awaited<ReturnType<typeof createAgentWorld>>;
