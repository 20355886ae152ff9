// Shows when a routine is due, by the one calendar, and what became of each moment, by its ledger.
import { toPage } from '../../../contract/page.ts';
import { Fault, toFault } from '../../../kernel/fault.ts';
import { nextDues, requireSchedule, type Schedule, warningOf } from '../../../routines/calendar.ts';
import { toRowDto } from './book.ts';
import type { RoutineHandlers, RoutineServiceDeps } from './kit.ts';
import { type RoutineDoc, scheduleOf } from './record.ts';
import { simulated } from './simulated.ts';

type Calendar = Pick<RoutineHandlers, 'preview' | 'nextDue' | 'simulate' | 'briefs'>;

export function calendarHandlers({ routines, book, clock }: RoutineServiceDeps): Calendar {
  const now = () => clock.now();
  return {
    preview: async ({ query: { cronExpression, timezoneId = 'UTC', count } }) => {
      const schedule: Schedule = {
        ...{ kind: 'Cron', cronExpression, timezoneId, intervalMinutes: null, runOnceAt: null },
        ...{ anchorAt: now(), expiresAt: null },
      };
      try {
        requireSchedule(schedule);
      } catch (error) {
        return { valid: false, error: toFault(error).message, warning: null, timezoneId, nextUtc: [] };
      }
      const nextUtc = nextDues(schedule, now(), count).map((at) => new Date(at).toISOString());
      return { valid: true, error: null, warning: warningOf(schedule, now()), timezoneId, nextUtc };
    },
    nextDue: async ({ caller, params, query }) => {
      const doc = await routines.get(caller, params.id);
      const { today, open, blocked } = await book.limitsNow(doc, now());
      const from = Math.max(now(), doc.coveredTo.getTime());
      const upcoming = doc.isEnabled ? nextDues(scheduleOf(doc), from, query.count) : [];
      const upcomingUtc = upcoming.map((at) => new Date(at).toISOString());
      return {
        routineId: doc._id,
        isEnabled: doc.isEnabled,
        nextDueAtUtc: upcomingUtc[0] ?? null,
        upcomingUtc,
        blockedReason: blockOf(doc, { today, open, blocked }),
        runsToday: today,
        timezoneId: doc.timezoneId,
      };
    },
    simulate: async ({ caller, params, query }) => simulated(await routines.get(caller, params.id), query, now()),
    briefs: async ({ caller, params }) => {
      const doc = await routines.get(caller, params.id);
      return doc.briefs.toReversed().map((one) => ({
        version: one.version,
        briefMarkdown: one.brief,
        thresholdMarkdown: one.threshold,
        createdAtUtc: one.madeAt.toISOString(),
      }));
    },
  };
}

export function ledgerHandlers({ routines, ledger }: RoutineServiceDeps): Pick<RoutineHandlers, 'runs' | 'latest'> {
  return {
    runs: async ({ caller, params, query }) => {
      await routines.get(caller, params.id);
      const { fromUtc, toUtc, ...rest } = query;
      const dueAt = { ...(fromUtc && { $gte: new Date(fromUtc) }), ...(toUtc && { $lte: new Date(toUtc) }) };
      const within = { routineId: params.id, ...(fromUtc || toUtc ? { dueAt } : {}) };
      const { items, totalCount } = await ledger.page(caller, rest, { within });
      return toPage(items.map(toRowDto), totalCount, query);
    },
    latest: async ({ caller, params, query }) => {
      await routines.get(caller, params.id);
      const own = { routineId: params.id, ...(query.outcomeId && { outcomeId: query.outcomeId }) };
      const row = await ledger.of(caller.tenantId).findOne(own, { sort: { dueAt: -1, _id: -1 } });
      if (row) return toRowDto(row);
      throw new Fault('NOT_FOUND', `The ledger of routine ${params.id} has no such row yet.`, {
        hint: `See when it is due with GET /api/agent/routines/${params.id}/next-due.`,
      });
    },
  };
}

/** What would keep a run from starting now. */
function blockOf(doc: RoutineDoc, { today, open, blocked }: { today: number; open: number; blocked: string | null }) {
  if (!doc.isEnabled) return doc.pausedReason ?? 'The routine is disabled.';
  if (blocked !== null) return blocked;
  if (doc.maxRunsPerDay > 0 && today >= doc.maxRunsPerDay)
    return `It has started ${today} of ${doc.maxRunsPerDay} runs today.`;
  if (doc.maxConcurrentRuns > 0 && open >= doc.maxConcurrentRuns)
    return `${open} of its runs ${open === 1 ? 'has' : 'have'} not ended.`;
  return null;
}
