// Creates, shows, steers and ends runs; the engine does the work.
import type { Engine } from '../../../../runtime/engine.ts';
import type { RunStore } from '../../../../runtime/ports.ts';
import type { RunRecord } from '../../../../runtime/records.ts';
import { environmentOf } from '../../../../runtime/state/environment.ts';
import { hasEnded } from '../../../../runtime/state/run.ts';
import { checkpointView, eventView } from '../../../../runtime/views/run.ts';
import type { Acting } from '../../../auth/acting.ts';
import type { Caller } from '../../../contract/caller.ts';
import { implement } from '../../../contract/operation.ts';
import { toPage, toPageText } from '../../../contract/page.ts';
import { JsonText } from '../../../contract/replies.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { mayReadIn } from '../../../ports/in-project.ts';
import { onceMark } from '../../../ports/once.ts';
import type { Follower, Publisher } from '../../../ports/stream.ts';
import { askedDigest } from '../../asked-digest.ts';
import { defined, given } from '../../fields.ts';
import { type FormatName, formatOf, partsOf, streamIn } from '../../formats/format.ts';
import { breakpointsIn } from '../breakpoints/drafts.ts';
import type { AgentRunDetailDto, AgentRunDto, RunActionResultDto } from '../dto.ts';
import type { RunArchive } from './archive.ts';
import { agentRuns } from './contract.ts';
import type { ReadDetail } from './detail.ts';
import { createDetailTexts, type DetailCounts } from './detail-texts.ts';
import { runFile, subjectOf } from './export/run-export.ts';
import { type FindRun, noRun } from './find-run.ts';
import { inOrder } from './in-order.ts';
import { laterThan } from './later-than.ts';
import type { FindRoleDefaults } from './role-defaults.ts';
import { runParts, runPartTypes } from './run-parts.ts';
import { fieldOf, mcpOwnerOf, toQuery } from './run-query.ts';
import { runTree } from './run-tree.ts';
import { searchEvents } from './search/search-events.ts';
import type { FindWorkRole } from './staffing.ts';
import { stateView } from './state-view.ts';

export interface RunsDeps {
  engine: Engine;
  store: RunStore;
  findRun: FindRun;
  acting: Acting;
  roleDefaults: FindRoleDefaults;
  workRole: FindWorkRole;
  /** Throws a Fault when no run can work in the workspace. */
  requireWorkspace: (caller: Caller, id: number) => Promise<void>;
  /** Refuses new work in a project that is archived. */
  requireOpenProject: (tenantId: number, projectId: number | null | undefined) => Promise<void>;
  /** The title of a task of a project; null where there is none of that number. */
  taskTitle: (caller: Caller, id: number) => Promise<string | null>;
  details: {
    read: (run: RunRecord) => Promise<ReadDetail>;
    /** Null where the store does not count changes. */
    counts: DetailCounts | null;
    archive: Pick<RunArchive, 'detailOf' | 'missed'>;
  };
  /** Deletes what others keep of a run: notes, tasks, feedback, escalations, councils. */
  removeParts: (run: RunRecord) => Promise<void>;
  /** Erases what was deleted from the disk. */
  scrub?: (() => Promise<void>) | undefined;
  publisher: Publisher;
  follower: Follower;
  clock: Clock;
}

const defaultRole = 'worker';

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a handler for each operation of the group, and what they share.
export const agentRunsService = implement(agentRuns, (deps: RunsDeps) => {
  const { engine, store, findRun, clock, details } = deps;
  const views = (runs: RunRecord[]): Promise<AgentRunDto[]> => engine.views(runs);
  const find = (caller: Caller, id: number) => findRun(caller, id);
  const textOf = createDetailTexts({
    viewVersion: engine.viewVersion,
    ...details,
  });
  const maySeeValues = async (caller: Caller, run: RunRecord) =>
    caller.permissions.has('RunsWrite') && (await deps.acting.may(caller, run.identityId));

  /** The run's detail as JSON, with the names of its variables alone for who may not change them. */
  const shownText = async (caller: Caller, run: RunRecord) => {
    const seesValues = run.environmentJson === null || (await maySeeValues(caller, run));
    return seesValues ? textOf(run, 'whole', (detail) => detail) : textOf(run, 'names', withoutValues);
  };

  /** A run that the caller may set to work, since they may act as its identity. */
  const findToDirect = async (caller: Caller, id: number) => {
    const run = await find(caller, id);
    await deps.acting.allow(caller, run.identityId);
    return run;
  };

  const identity = async (caller: Caller, id: number | null | undefined) => {
    const identityId = id ?? caller.identityId;
    if (identityId === null)
      throw new Fault('VALIDATION_FAILED', 'A run needs an identity to act as.', {
        hint: 'Name one with identityId; list them with GET /api/identities.',
      });
    return deps.acting.require(caller, identityId);
  };

  /** A role and its definition go together, whichever of the two was named. */
  const staffing = async (
    caller: Caller,
    named: { role?: string | undefined; roleDefinitionId?: number | null | undefined },
  ) => {
    if (named.role === undefined && named.roleDefinitionId == null) return {};
    const wanted = { id: named.roleDefinitionId ?? null, name: named.role ?? null };
    const { role = named.role, roleDefinitionId = null } = await deps.roleDefaults(caller.tenantId, wanted);
    return { ...(role === undefined ? {} : { role }), roleDefinitionId };
  };

  return {
    list: async ({ caller, query }) => {
      const { items, total } = await store.runs.listTexts(toQuery(caller, query));
      return toPageText(await engine.viewTexts(items), total, query);
    },
    create: async ({ caller, body, request }) => {
      const { treeDeadlineUtc, idempotencyKey, autoStart, roleDefinitionId, role, breakpoints, mcpTask, ...rest } =
        body;
      await deps.requireOpenProject(caller.tenantId, body.projectId);
      if (body.workspaceId != null) await deps.requireWorkspace(caller, body.workspaceId);
      const key = idempotencyKey ?? request.header('idempotency-key') ?? null;
      const acting = await identity(caller, body.identityId);
      const work =
        role == null && roleDefinitionId == null ? await deps.workRole(caller.tenantId, acting.identityId) : null;
      const run = await engine.create({
        role: role ?? defaultRole,
        ...(await deps.roleDefaults(
          caller.tenantId,
          { id: roleDefinitionId ?? work, name: role ?? defaultRole },
          role == null,
        )),
        ...given({ ...rest }),
        ...acting,
        tenantId: caller.tenantId,
        taskTitle: body.taskId == null ? null : await deps.taskTitle(caller, body.taskId),
        goal: body.goal,
        startedByUserId: caller.userId,
        breakpoints: breakpointsIn(breakpoints),
        by: caller.name,
        ...(mcpTask && { mcpOwner: mcpOwnerOf(caller) }),
        treeDeadlineAt: laterThan(clock.now(), treeDeadlineUtc, 'treeDeadlineUtc'),
        autoStart: autoStart ?? false,
        ...(key !== null && {
          idempotencyKey: `${caller.tenantId}:${caller.identityId ?? caller.userId}:${key}`,
          // As a task or not is how it is followed.
          askedDigest: askedDigest({ ...body, idempotencyKey: null, mcpTask: null }),
        }),
      });
      return engine.view(run);
    },
    get: async ({ caller, params, query }) => {
      const archived = query.mcpTask ? null : details.archive.detailOf(caller, params.id);
      if (archived !== null) return new JsonText(archived);
      const run = await find(caller, params.id);
      details.archive.missed(run);
      if (query.mcpTask && run.mcpOwner !== mcpOwnerOf(caller)) throw noRun(params.id);
      return new JsonText(await shownText(caller, run));
    },
    export: async ({ caller, params, query }) => {
      const run = await find(caller, params.id);
      // Its events are in the file themselves.
      const { recentEvents: _, ...shown } = JSON.parse(await shownText(caller, run)) as AgentRunDetailDto;
      return runFile(query.format, await subjectOf(run, shown, { ...store, events: engine.events, now: clock.now() }));
    },
    patch: async ({ caller, params, body }) => {
      await findToDirect(caller, params.id);
      const { treeDeadlineUtc, identityId, ...fields } = body;
      await deps.requireOpenProject(caller.tenantId, body.projectId);
      const acting = identityId === undefined ? {} : await identity(caller, identityId);
      const deadline =
        treeDeadlineUtc === undefined
          ? {}
          : { treeDeadlineAt: laterThan(clock.now(), treeDeadlineUtc, 'treeDeadlineUtc') };
      const staffed = await staffing(caller, body);
      return engine.view(await engine.patch(params.id, { ...defined(fields), ...staffed, ...acting, ...deadline }));
    },
    remove: async ({ caller, params }) => {
      const run = await find(caller, params.id);
      await engine.remove(run.id, () => deps.removeParts(run));
      await deps.scrub?.();
      await deps.publisher.publish({
        tenantId: caller.tenantId,
        topics: ['runs', `run:${run.id}`, ...(run.projectId === null ? [] : [`project:${run.projectId}`])],
        type: 'run.deleted',
        data: { kind: 'Run', id: run.id, atUtc: new Date(clock.now()).toISOString() },
      });
      return null;
    },
    start: async ({ caller, params, body }) => {
      await findToDirect(caller, params.id);
      const { breakpoints, ...overrides } = body ?? {};
      for (const one of breakpointsIn(breakpoints)) await engine.setBreakpoint(params.id, one, caller.name);
      return engine.view(await engine.start(params.id, { ...given(overrides), key: onceMark() }));
    },
    restart: async ({ caller, params, body }) => {
      const run = await findToDirect(caller, params.id);
      await deps.requireOpenProject(caller.tenantId, run.projectId);
      return engine.view(await engine.restart(params.id, { ...given(body ?? {}), key: onceMark() }));
    },
    cancel: async ({ caller, params, body }) => {
      await find(caller, params.id);
      return toAction(await engine.cancel(params.id, { ...given(body ?? {}), by: caller.name, key: onceMark() }));
    },
    pause: async ({ caller, params, body }) => {
      await find(caller, params.id);
      return toAction(await engine.pause(params.id, { ...given(body ?? {}), by: caller.name, key: onceMark() }));
    },
    resume: async ({ caller, params, body }) => {
      await find(caller, params.id);
      return toAction(await engine.resume(params.id, { ...given(body ?? {}), by: caller.name, key: onceMark() }));
    },
    pool: async ({ caller, params, body }) => {
      await find(caller, params.id);
      const { treeDeadlineUtc, ...change } = body;
      const deadline =
        treeDeadlineUtc === undefined
          ? {}
          : { treeDeadlineAt: laterThan(clock.now(), treeDeadlineUtc, 'treeDeadlineUtc') };
      return engine.view(await engine.changePool(params.id, { ...given(change), ...deadline, key: onceMark() }));
    },
    spawn: async ({ caller, params, body, request }) => {
      const parent = await findToDirect(caller, params.id);
      await deps.requireOpenProject(caller.tenantId, parent.projectId);
      if (body.identityId != null) await deps.acting.require(caller, body.identityId);
      const key = request.header('idempotency-key');
      return engine.view(
        await engine.spawn(parent.id, {
          ...given(body),
          goal: body.goal,
          startedByUserId: caller.userId,
          key: key === undefined ? null : `${caller.identityId ?? caller.userId}:${key}`,
        }),
      );
    },
    checkpoint: async ({ caller, params, body }) => {
      await find(caller, params.id);
      const label = [body?.label, body?.note].filter(Boolean).join(': ');
      return toAction(await engine.checkpoint(params.id, label || null, { key: onceMark() }));
    },
    checkpoints: async ({ caller, params, query }) => {
      await find(caller, params.id);
      return (await engine.checkpoints(params.id, query.limit)).map(checkpointView);
    },
    fork: async ({ caller, params, body }) => {
      const run = await findToDirect(caller, params.id);
      await deps.requireOpenProject(caller.tenantId, run.projectId);
      const staffed = body?.role == null ? {} : await staffing(caller, { role: body.role });
      return engine.view(
        await engine.fork(params.id, {
          ...given(body ?? {}),
          ...staffed,
          breakpoints: breakpointsIn(body?.breakpoints),
          by: caller.name,
          key: onceMark(),
        }),
      );
    },
    state: async ({ caller, params, query }) => {
      await find(caller, params.id);
      return stateView(await engine.stateAt(params.id, given(query)));
    },
    wait: async ({ caller, params, query, request }) => {
      await find(caller, params.id);
      return engine.view(await engine.wait(params.id, query.timeoutMs, request.signal));
    },
    children: async ({ caller, params, query }) => {
      const run = await find(caller, params.id);
      const status = query.status === undefined ? {} : { status: [query.status] };
      if (query.recursive) {
        const below = await runTree(engine, store, run);
        const wanted = sorted(
          below.filter(
            (child) => mayReadIn(caller, child.projectId) && (!query.status || child.status === query.status),
          ),
          query.sort,
        );
        const start = (query.page - 1) * query.pageSize;
        return toPage(await views(wanted.slice(start, start + query.pageSize)), wanted.length, query);
      }
      const { items, total } = await store.runs.list({ ...toQuery(caller, query), ...status, parentRunId: run.id });
      return toPage(await views(items), total, query);
    },
    searchEvents: async ({ caller, params, query, request }) => {
      const run = await find(caller, params.runId);
      const below = query.includeChildren ? await runTree(engine, store, run) : [];
      // By age, so that runs which are spawned meanwhile come after those that were looked at.
      const others = below.filter((one) => mayReadIn(caller, one.projectId));
      const runs = [run, ...others.sort((a, b) => a.createdAt - b.createdAt || a.id - b.id)];
      const deps = { events: engine.events, signal: request.signal };
      return searchEvents(
        runs.map(({ id }) => id),
        query,
        deps,
      );
    },
    events: async ({ caller, params, query, request }) => {
      const run = await find(caller, params.runId);
      const format = formatOf(request, query.format);
      if (format) return followIn(format, deps, run, request.signal);
      if (request.wantsStream) {
        const { includeChildren = false, follow = false, lean = false } = query;
        return { ...followRun(run, includeChildren, request.lastEventId), follow, lean };
      }
      const { order, includeChildren, format: _, follow: _follow, lean: _lean, ...filter } = query;
      const events = await Promise.all(
        (includeChildren ? [run, ...(await runTree(engine, store, run))] : [run]).map((one) =>
          engine.events(one.id, { ...defined(filter), descending: order === 'Descending' } as Parameters<
            Engine['events']
          >[1]),
        ),
      );
      return inOrder(events, order === 'Descending')
        .slice(0, query.limit)
        .map(eventView);
    },
  };
});

const withoutValues = ({ beside, ...detail }: ReadDetail): ReadDetail => ({
  ...detail,
  beside: { ...beside, environmentJson: namesOnly(beside.environmentJson) },
});

/** The names of a run's variables: their values are for those who may change them. */
function namesOnly(environmentJson: string | null): string | null {
  if (environmentJson === null) return null;
  const hidden = Object.keys(environmentOf(environmentJson)).map((name) => [name, '••••'] as const);
  return JSON.stringify(Object.fromEntries(hidden));
}

function followRun(run: RunRecord, withChildren: boolean, lastEventId: string | null) {
  return {
    kind: 'topics' as const,
    topics: [withChildren && run.parentRunId === null ? `run-tree:${run.id}` : `run:${run.id}`],
    // A client that follows a run without a cursor gets all of it.
    lastEventId: lastEventId ?? '0',
    types: null,
    includeDeltas: true,
    replaySeconds: 0,
    heartbeatSeconds: 15,
  };
}

/** The whole run as one answer, from its beginning to its end. */
function followIn(format: FormatName, { follower, clock }: RunsDeps, run: RunRecord, signal: AbortSignal) {
  const endsFrom = hasEnded(run.status) ? (run.completedAt ?? 0) : clock.now();
  const events = follower.follow({
    tenantId: run.tenantId,
    topic: `run:${run.id}`,
    lastEventId: '0',
    types: runPartTypes,
    signal,
  });
  return streamIn(format, partsOf(events, runParts({ ...run, endsFrom })), signal);
}

function sorted(runs: RunRecord[], sort: string | undefined): RunRecord[] {
  if (sort === undefined) return runs.sort((a, b) => b.id - a.id);
  const field = fieldOf(sort);
  const sign = sort.startsWith('-') ? -1 : 1;
  const value = (run: RunRecord) => run[field] as number | string | null;
  return runs.sort((a, b) => sign * compare(value(a), value(b)) || b.id - a.id);
}

function compare(a: number | string | null, b: number | string | null): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  return a < b ? -1 : 1;
}

function toAction({ acceptedAt, ...result }: Awaited<ReturnType<Engine['cancel']>>): RunActionResultDto {
  return { ...result, acceptedAtUtc: new Date(acceptedAt).toISOString() };
}
