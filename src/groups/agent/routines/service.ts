// Serves routines: they are made, changed and removed here; what is done by hand, with triggers and to show them stands beside.
import type { Caller } from '../../../contract/caller.ts';
import { implement } from '../../../contract/operation.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Draft } from '../../../ports/record.ts';
import { shown } from '../../../ports/shown.ts';
import { requireSchedule } from '../../../routines/calendar.ts';
import { parseQuietHours } from '../../../routines/quiet-hours.ts';
import { defined, given } from '../../fields.ts';
import { kept } from '../../kept.ts';
import { toRoutineDto } from './book.ts';
import { byHand } from './by-hand.ts';
import { agentRoutines } from './contract.ts';
import { AgentRoutineDetailDto } from './dto.ts';
import type { RoutineHandlers, RoutineServiceDeps } from './kit.ts';
import { nextDueOf, type RoutineDoc, scheduleOf } from './record.ts';
import { calendarHandlers, ledgerHandlers } from './shows.ts';
import { triggerHandlers } from './triggers.ts';

const plain = {
  ...{ description: null, thresholdMarkdown: null, roleDefinitionId: null, roleName: null, toolProfileName: null },
  ...{ projectId: null, taskId: null, cronExpression: null, intervalMinutes: null, runOnceAt: null },
  ...{ timezoneId: 'UTC', quietHoursJson: null, maxRunsPerDay: 0, maxConcurrentRuns: 1 },
  missedRunPolicyId: 'RunOnce' as const,
  reportPolicyId: 'OnChange' as const,
  ...{ pauseOnRepeatedAuthFailure: true, poolTokenBudgetOverride: null, isEnabled: true, watchExpiry: null },
  ...{
    nextDueAt: null,
    lastRunAt: null,
    lastOutcomeId: null,
    lastRunStatusId: null,
    pausedAt: null,
    pausedReason: null,
  },
  ...{ briefVersion: 1, scheduleVersion: 1, lastSeq: 0, failuresAfterSeq: 0 },
};

/** Fields that decide when a routine is due. */
const ofSchedule = [
  'scheduleKindId',
  'cronExpression',
  'intervalMinutes',
  'runOnceAt',
  'timezoneId',
  'watchExpiry',
  'isEnabled',
] as const;
/** Versions of a brief that are kept. */
const keptBriefs = 30;

export const agentRoutinesService = implement(agentRoutines, (deps: RoutineServiceDeps): RoutineHandlers => {
  const { routines, acting } = deps;
  const usual = kept(agentRoutines, routines, {
    show: (doc) => shown(AgentRoutineDetailDto, doc),
    showAll: (docs) => docs.map(toRoutineDto),
    filters: { dueBeforeUtc: (before: string) => ({ nextDueAt: { $gt: new Date(0), $lte: new Date(before) } }) },
    mayWrite: async (doc, caller, how) => {
      await acting.allow(caller, doc.identityId);
      // What the old schedule says comes first.
      if (how === 'change' && doc.isEnabled) await deps.cover.cover(doc);
    },
    expecting: ['scheduleVersion', 'briefVersion', 'identityId'],
    // Made by `create` below, which answers without the brief.
    draft: (body, caller) => made(deps, body, caller),
    change: (body, old, caller) => changed(deps, body, old, caller),
    wrote: async (doc, caller, verb) => {
      if (verb === 'remove') await removeParts(deps, doc);
      if (verb === 'patch') await moveParts(deps, doc);
      deps.changed();
      if (verb === 'remove') deps.triggersChanged(caller.tenantId);
    },
  });

  return {
    ...usual,
    ...byHand(deps),
    ...triggerHandlers(deps),
    ...calendarHandlers(deps),
    ...ledgerHandlers(deps),
    create: async ({ caller, body }) => {
      const doc = await routines.insert(caller, await made(deps, body, caller));
      deps.changed();
      return toRoutineDto(doc);
    },
  };
});

type Body = Parameters<RoutineHandlers['create']>[0]['body'];
type Patch = Parameters<RoutineHandlers['patch']>[0]['body'];

const dateOf = (text: string | null | undefined) => (text == null ? null : new Date(text));

/** Settings as they are stored: times are Dates. */
function stored<B extends Body | Patch>(body: B): Partial<RoutineDoc> {
  const { runOnceAtUtc, watchExpiryUtc, ...rest } = body;
  return {
    ...(defined(rest) as Partial<RoutineDoc>),
    ...(runOnceAtUtc !== undefined && { runOnceAt: dateOf(runOnceAtUtc) }),
    ...(watchExpiryUtc !== undefined && { watchExpiry: dateOf(watchExpiryUtc) }),
  };
}

/** Names of who and what it works as, which must be there. */
async function named(
  deps: RoutineServiceDeps,
  caller: Caller,
  fields: Partial<RoutineDoc>,
): Promise<Partial<RoutineDoc>> {
  const { identityId, roleDefinitionId } = fields;
  return {
    ...(identityId !== undefined && (await deps.acting.require(caller, identityId))),
    ...(roleDefinitionId !== undefined && {
      roleName: roleDefinitionId === null ? null : await deps.roleName(caller.tenantId, roleDefinitionId),
    }),
  };
}

async function made(deps: RoutineServiceDeps, body: Body, caller: Caller): Promise<Draft<RoutineDoc>> {
  const settings = given(body) as Body;
  const identityId = settings.identityId ?? caller.identityId;
  if (identityId == null)
    throw new Fault('VALIDATION_FAILED', 'A routine needs an identity to act as.', {
      hint: 'Name one with identityId; list them with GET /api/identities.',
    });
  const now = new Date(deps.clock.now());
  const fields = { ...plain, ...stored(settings), identityId };
  const doc = {
    ...fields,
    ...{ name: body.name, briefMarkdown: body.briefMarkdown },
    scheduleKindId:
      body.scheduleKindId ??
      (body.cronExpression ? 'Cron' : body.intervalMinutes ? 'Interval' : body.runOnceAtUtc ? 'Once' : 'Manual'),
    ...(await named(deps, caller, { identityId, roleDefinitionId: fields.roleDefinitionId ?? null })),
    ...{ anchorAt: now, coveredTo: now },
    ...{ createdByUserId: caller.userId, createdByIdentityId: caller.identityId },
    briefs: [{ version: 1, brief: body.briefMarkdown, threshold: body.thresholdMarkdown ?? null, madeAt: now }],
  } as Draft<RoutineDoc>;
  checkSettings(doc, deps.clock.now());
  return { ...doc, nextDueAt: nextOf(doc, deps.clock.now()) };
}

async function changed(deps: RoutineServiceDeps, body: Patch, old: RoutineDoc, caller: Caller) {
  const now = deps.clock.now();
  const fields = stored(body);
  const next: RoutineDoc = { ...old, ...fields, ...(await named(deps, caller, fields)) };
  const isOther = ofSchedule.some((name) => String(next[name] ?? '') !== String(old[name] ?? ''));
  if (isOther) {
    Object.assign(next, {
      anchorAt: new Date(now),
      coveredTo: new Date(now),
      scheduleVersion: old.scheduleVersion + 1,
    });
    if (next.isEnabled) Object.assign(next, { pausedAt: null, pausedReason: null });
    else if (old.isEnabled) next.pausedAt = new Date(now);
  }
  checkSettings(next, isOther ? now : null);
  if (next.briefMarkdown !== old.briefMarkdown || next.thresholdMarkdown !== old.thresholdMarkdown) {
    next.briefVersion = old.briefVersion + 1;
    const one = { brief: next.briefMarkdown, threshold: next.thresholdMarkdown, madeAt: new Date(now) };
    next.briefs = [...old.briefs, { version: next.briefVersion, ...one }].slice(-keptBriefs);
  }
  const { _id, tenantId, guid, createdAt, updatedAt, lastOutcomeId, lastRunStatusId, lastRunAt, lastSeq, ...draft } =
    next;
  if (isOther) return { ...draft, nextDueAt: nextOf(next, now) };
  const { coveredTo, nextDueAt, anchorAt, ...rest } = draft;
  return rest;
}

/** @throws Fault VALIDATION_FAILED, INVALID_CRON */
function checkSettings(doc: Draft<RoutineDoc>, now: number | null): void {
  const schedule = scheduleOf(doc);
  requireSchedule(schedule);
  parseQuietHours(doc.quietHoursJson);
  if (now === null || !doc.isEnabled) return;
  if (schedule.kind === 'Once' && (schedule.runOnceAt ?? 0) <= now)
    throw new Fault('VALIDATION_FAILED', 'runOnceAtUtc is in the past.', { hint: 'Name a time to come.' });
}

const nextOf = (doc: Draft<RoutineDoc>, from: number): Date | null => (doc.isEnabled ? nextDueOf(doc, from) : null);

/** What hangs on a routine goes with it; a second call finds nothing left. */
async function removeParts(deps: RoutineServiceDeps, { _id, tenantId }: RoutineDoc): Promise<void> {
  await deps.triggers.of(tenantId).deleteMany({ routineId: _id });
  await deps.ledger.of(tenantId).deleteMany({ routineId: _id });
}

/** What hangs on a routine is in its project: who may read there sees it. */
async function moveParts(deps: RoutineServiceDeps, { _id, tenantId, projectId }: RoutineDoc): Promise<void> {
  const elsewhere = { routineId: _id, projectId: { $ne: projectId } };
  await deps.triggers.of(tenantId).updateMany(elsewhere, { $set: { projectId } });
  await deps.ledger.of(tenantId).updateMany(elsewhere, { $set: { projectId } });
}
