// Restores runs as they ended on the other server: with what they told and their notes, to be read and never to go on.
import { randomUUID } from 'node:crypto';
import type { AgentEvent, RunRecord } from '../../../../runtime/records.ts';
import { hasEnded } from '../../../../runtime/state/run.ts';
import { pastMember, pastRun, pastTree } from '../../../../runtime/systems/life/new-run.ts';
import { perTenant } from '../../../ports/tenanted.ts';
import { type NoteDoc, noteSpec } from '../../agent/notes/notes.ts';
import type { PastRuns } from '../../agent/past-runs.ts';
import type { RunEvent } from '../../export/portable-history.ts';
import type { ItemDoc } from '../record.ts';
import { insertOnce, type Restoring, type RestoringDeps } from './restoring.ts';
import { type Whole, wholeOf } from './wholes.ts';

export interface RunDeps extends RestoringDeps {
  pastRuns: PastRuns;
}

/** Runs that are removed at once. */
const atOnce = 100;
const kinds = ['run', 'events', 'note'] as const;

export function createRestoringRuns(deps: RunDeps) {
  const { sets, pastRuns } = deps;
  const { restoreRun, restoreEvents, restoreNote } = createWriting(deps);
  return {
    async all(r: Restoring): Promise<void> {
      for (const [kind, restore] of [
        ['run', restoreRun],
        ['events', restoreEvents],
        ['note', restoreNote],
      ] as const)
        for await (const item of r.itemsOf(kind)) {
          r.held.check();
          await restore(r, item);
        }
    },
    async remove(tenantId: number, importId: number): Promise<void> {
      const items = sets.items(tenantId);
      for (;;) {
        const made = { importId, wholeKind: 'run', madeId: { $gt: 0 } } as const;
        const some = await items.find(made, { limit: atOnce, projection: { madeId: 1 }, sort: { _id: 1 } }).toArray();
        if (some.length === 0) break;
        // Below roots, which come first, nothing is left by itself.
        await pastRuns.remove(
          tenantId,
          some.flatMap(({ madeId }) => madeId ?? []),
        );
        await items.updateMany({ _id: { $in: some.map(({ _id }) => _id) } }, { $set: { madeId: null } });
      }
      for (const wholeKind of kinds)
        await items.updateMany({ importId, wholeKind, madeId: { $gt: 0 } }, { $set: { madeId: null } });
    },
  };
}

function createWriting({ db, ids, clock, pastRuns }: RunDeps) {
  const notes = perTenant(db.collection(noteSpec));

  const restoreRun = async (r: Restoring, item: ItemDoc): Promise<void> => {
    const data = wholeOf('run', item);
    const id = await r.idFor(item, pastRuns.series);
    if (await pastRuns.find(id)) return;
    const parentId = await r.madeOf(data.parent);
    const parent = parentId === null ? null : await pastRuns.find(parentId);
    const run = pastRun({
      ...(await saidOf(r, data)),
      ...endOf(r, data, clock.now()),
      id,
      guid: randomUUID(),
      rootRunId: parent?.rootRunId ?? id,
      parentRunId: parent?.id ?? null,
      spawnDepth: parent ? parent.spawnDepth + 1 : 0,
    });
    const pool = data.pool ?? {
      iterationBudget: run.maxIterations,
      iterationsUsed: run.iterationsUsed,
      tokenBudget: run.maxTokens,
      tokensUsed: run.tokensUsed,
      costBudgetUsd: null,
      costUsd: run.costUsd,
    };
    const place = parent ? { rootRunId: parent.rootRunId, member: pastMember(run) } : { tree: pastTree(run, pool) };
    await pastRuns.keep(run, place);
  };

  const restoreEvents = async (r: Restoring, item: ItemDoc): Promise<void> => {
    const data = wholeOf('events', item);
    const runId = await r.madeOf(data.run);
    const run = runId === null ? null : await pastRuns.find(runId);
    if (!run) return;
    const told: AgentEvent[] = [];
    for (const event of data.events)
      told.push(eventOf(run, event, { id: await ids.next('agent_events'), payloadJson: await payloadOf(r, event) }));
    await pastRuns.tell(run.id, told);
  };

  const restoreNote = async (r: Restoring, item: ItemDoc): Promise<void> => {
    const data = wholeOf('note', item);
    const runId = await r.madeOf(data.run);
    if (runId === null) return;
    const note: NoteDoc = {
      _id: await r.idFor(item, noteSpec.name),
      guid: randomUUID(),
      tenantId: r.by.tenantId,
      runId,
      taskId: null,
      type: data.noteType,
      content: data.content,
      key: null,
      createdAt: r.past(data.createdAtUtc),
    };
    await insertOnce(notes(r.by.tenantId), note);
  };

  return { restoreRun, restoreEvents, restoreNote };
}

/** What the document says of a run, and what this server knows of no run of another one. */
async function saidOf(r: Restoring, data: Whole<'run'>) {
  const { kind: _kind, id: _id, project, parent: _parent, about, pool: _pool, runRole: role, ...rest } = data;
  const { startedAtUtc: _s, completedAtUtc: _c, createdAtUtc: _m, updatedAtUtc: _u, ...said } = rest;
  return {
    ...said,
    role,
    tenantId: r.by.tenantId,
    identityId: r.identityId,
    projectId: r.projectOf(project),
    taskId: await r.madeOf(about),
    roleDefinitionId: null,
    hardIterationCap: data.maxIterations,
    environmentJson: null,
    requestToolDebrief: false,
    workspaceId: null,
    interactionThreadId: null,
    startedByUserId: null,
    failurePolicy: 'report' as const,
  };
}

/** A run that was at work when it was exported is at work there, and over here. */
function endOf(r: Restoring, { status, failureReason, ...times }: Whole<'run'>, now: number) {
  const at = (time: string | null) => (time === null ? null : r.past(time).getTime());
  const isOver = hasEnded(status);
  return {
    status: isOver ? status : ('Cancelled' as const),
    failureReason: isOver ? failureReason : 'It had not ended when it was exported.',
    startedAt: at(times.startedAtUtc),
    completedAt: at(times.completedAtUtc) ?? at(times.updatedAtUtc),
    createdAt: r.past(times.createdAtUtc).getTime(),
    // From now on it is kept as long as others are.
    updatedAt: now,
    importedAt: now,
  };
}

function eventOf(
  run: RunRecord,
  { payload: _, movedTo, createdAtUtc, ...event }: RunEvent,
  made: Pick<AgentEvent, 'id' | 'payloadJson'>,
): AgentEvent {
  const { id: runId, tenantId, rootRunId, parentRunId } = run;
  const createdAt = Math.min(Date.parse(createdAtUtc), run.importedAt ?? 0);
  const place = { guid: randomUUID(), tenantId, runId, rootRunId, parentRunId };
  return { ...event, ...made, ...place, ...(movedTo && { movedTo }), createdAt };
}

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const isRun = /^(?:run|.*Run)Ids?$/;

/** The payload with the numbers that its runs have here. */
async function payloadOf(r: Restoring, { payload }: RunEvent): Promise<string | null> {
  if (payload === null || payload === undefined) return null;
  const restored = async (value: unknown, name = ''): Promise<unknown> => {
    if (typeof value === 'string') return isRun.test(name) && uuid.test(value) ? r.madeOf(value) : value;
    if (Array.isArray(value)) return Promise.all(value.map((one) => restored(one, name)));
    if (typeof value !== 'object' || value === null) return value;
    const fields = Object.entries(value).map(async ([key, one]) => [key, await restored(one, key)] as const);
    return Object.fromEntries(await Promise.all(fields));
  };
  return JSON.stringify(await restored(payload));
}
