// Runs of an identity as records of the portable format: each with what it told and with its notes.
import type { AgentEvent, RunRecord } from '../../../runtime/records.ts';
import type { TreeRecord } from '../../../runtime/state/tree.ts';
import type { IdentityDoc } from '../../auth/documents.ts';
import type { Db, Filter } from '../../ports/db.ts';
import { visibleTo } from '../../ports/in-project.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { noteSpec } from '../agent/notes/notes.ts';
import { taskRecord } from '../tasks/record.ts';
import type { Pool, RunEvent } from './portable-history.ts';
import { type PortableRecord, portableRecord } from './portable-records.ts';
import { keyInside, type Reach } from './reach.ts';
import { type EventsOf, eventPagesOf, guidsOf, numbered, pagesOf } from './reading.ts';

type RunRow = Omit<RunRecord, 'id'> & { _id: number };
type TreeRow = Omit<TreeRecord, 'id' | 'members'> & { _id: number };

/** Events of one record: so many, or so long. */
const eventsEach = 100;
const lengthEach = 100_000;
/** Runs whose events are read at once name others; their ids in the document are kept for so many. */
const rememberedRuns = 50_000;

export function runRecords({ db, eventsOf }: { db: Db; eventsOf: EventsOf }) {
  const { runs, trees, notes, tasks } = collectionsOf(db);

  /** Ids in the document of runs that go along: those that a page names are read, and remembered. */
  const idsOfRuns = (tenantId: number, identityId: number) => {
    const known = new Map<number, string | null>();
    return async (ids: readonly number[]): Promise<ReadonlyMap<number, string | null>> => {
      const unknown = [...new Set(ids)].filter((id) => !known.has(id));
      if (known.size > rememberedRuns) known.clear();
      const found = await guidsOf(runs(tenantId), unknown, { identityId });
      for (const id of ids) if (!known.has(id)) known.set(id, found.get(id) ?? null);
      return known;
    };
  };

  async function* logOf(reach: Reach, run: RunRow, guidsAmong: ReturnType<typeof idsOfRuns>) {
    let waiting: RunEvent[] = [];
    let length = 0;
    const flush = function* () {
      const [first] = waiting;
      if (!first) return;
      const { seq, createdAtUtc } = first;
      const about = { id: numbered(run.guid, seq), run: run.guid, events: waiting };
      yield portableRecord('events', { createdAt: createdAtUtc }, about);
      [waiting, length] = [[], 0];
    };
    for await (const page of eventPagesOf(eventsOf, run._id, reach.at)) {
      const payloads = page.map(({ payloadJson }) => parsed(payloadJson));
      const guids = await guidsAmong(payloads.flatMap((one) => [...runsIn(one)]));
      for (const [at, event] of page.entries()) {
        const told = eventOf(event, portablePayload(payloads[at], guids));
        waiting.push(told);
        length += JSON.stringify(told).length;
        if (waiting.length >= eventsEach || length > lengthEach) yield* flush();
      }
    }
    yield* flush();
  }

  return async function* (reach: Reach, { _id: identityId }: IdentityDoc): AsyncGenerator<PortableRecord> {
    const { tenantId } = reach.caller;
    const filter = { identityId, ...visibleTo<RunRow>(reach.caller) } as Filter<RunRow>;
    const guidsAmong = idsOfRuns(tenantId, identityId);
    for await (const page of pagesOf(runs(tenantId), filter, reach.at, { pageSize: 100 })) {
      const parents = await guidsAmong(page.flatMap(({ parentRunId }) => parentRunId ?? []));
      const inside = { projectId: { $in: reach.projects.map(({ project }) => project._id) } };
      const about = await guidsOf(
        tasks(tenantId),
        page.map(({ taskId }) => taskId),
        inside,
      );
      for (const run of page) {
        const parent = parents.get(run.parentRunId ?? 0) ?? null;
        const isRoot = parent === null && run.rootRunId === run._id;
        const tree = isRoot ? await trees(tenantId).findOne({ _id: run._id }) : null;
        yield portableRecord('run', withDates(run), {
          id: run.guid,
          project: keyInside(reach, run.projectId),
          parent,
          about: about.get(run.taskId ?? 0) ?? null,
          pool: parent === null ? poolOf(tree ?? ownPool(run)) : null,
        });
        yield* logOf(reach, run, guidsAmong);
        for await (const some of pagesOf(notes(tenantId), { runId: run._id }, reach.at))
          for (const note of some) yield portableRecord('note', note, { id: note.guid, run: run.guid });
      }
    }
  };
}

const collectionsOf = (db: Db) => ({
  runs: perTenant(db.collection<RunRow>({ name: 'agent_runs', indexes: [] })),
  trees: perTenant(db.collection<TreeRow>({ name: 'agent_trees', indexes: [] })),
  notes: perTenant(db.collection(noteSpec)),
  tasks: perTenant(db.collection(taskRecord.spec)),
});

const dateOf = (at: number | null) => (at === null ? null : new Date(at));
const withDates = (run: RunRow) => ({
  ...run,
  startedAt: dateOf(run.startedAt),
  completedAt: dateOf(run.completedAt),
  createdAt: dateOf(run.createdAt),
  updatedAt: dateOf(run.updatedAt),
});

/** Of a run whose parent is another identity's: it is a root where it is restored. */
const ownPool = (run: RunRow): Pool => ({
  iterationBudget: run.maxIterations,
  iterationsUsed: run.iterationsUsed,
  tokenBudget: run.maxTokens,
  tokensUsed: run.tokensUsed,
  costBudgetUsd: null,
  costUsd: run.costUsd,
});

const poolOf = (tree: Pool): Pool => ({
  iterationBudget: tree.iterationBudget,
  iterationsUsed: tree.iterationsUsed,
  tokenBudget: tree.tokenBudget,
  tokensUsed: tree.tokensUsed,
  costBudgetUsd: tree.costBudgetUsd,
  costUsd: tree.costUsd,
});

const eventOf = (event: AgentEvent, payload: unknown): RunEvent => ({
  seq: event.seq,
  type: event.type,
  level: event.level,
  iteration: event.iteration,
  title: event.title,
  message: event.message,
  toolName: event.toolName,
  toolCallId: event.toolCallId,
  modelId: event.modelId,
  promptTokens: event.promptTokens,
  completionTokens: event.completionTokens,
  costUsd: event.costUsd,
  durationMs: event.durationMs,
  payload,
  movedTo: event.movedTo ?? null,
  createdAtUtc: new Date(event.createdAt).toISOString(),
});

function parsed(json: string | null): unknown {
  try {
    return json === null ? null : JSON.parse(json);
  } catch {
    return json;
  }
}

/** Names of fields that say the number of something, and of a run. */
const isNumber = /^(?:id|ids|.*Ids?)$/;
const isRun = /^(?:run|.*Run)Ids?$/;

/** Runs that a payload names. */
function* runsIn(value: unknown): Generator<number> {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, one] of Object.entries(value)) {
    const numbers = isRun.test(name) ? [one].flat().filter((each) => typeof each === 'number') : [];
    if (numbers.length > 0) yield* numbers;
    else yield* runsIn(one);
  }
}

/** A payload whose runs have their ids in the document, without the numbers of what is the server's own. */
function portablePayload(value: unknown, guids: ReadonlyMap<number, string | null>): unknown {
  if (Array.isArray(value)) return value.map((one) => portablePayload(one, guids));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).flatMap(([name, one]): [string, unknown][] => {
    const isNumbers = typeof one === 'number' || (Array.isArray(one) && typeof one[0] === 'number');
    if (!isNumbers || !isNumber.test(name)) return [[name, portablePayload(one, guids)]];
    if (!isRun.test(name)) return [];
    const those = [one].flat().flatMap((each) => guids.get(each as number) ?? []);
    if (Array.isArray(one)) return [[name, those]];
    return those[0] === undefined ? [] : [[name, those[0]]];
  });
  return Object.fromEntries(fields);
}
