// What people do with a routine by hand: run it now, stop it, let it go on.
import { randomUUID } from 'node:crypto';
import { Fault } from '../../../kernel/fault.ts';
import { onceMark } from '../../../ports/once.ts';
import { warningOf } from '../../../routines/calendar.ts';
import { toRoutineDto, toRowDto } from './book.ts';
import { cancelRunsOf } from './cancelling.ts';
import type { RoutineHandlers, RoutineServiceDeps } from './kit.ts';
import { nextDueOf, scheduleOf } from './record.ts';

export const byHand = (deps: RoutineServiceDeps): Pick<RoutineHandlers, 'run' | 'enable' | 'disable'> => ({
  ...running(deps),
  ...switching(deps),
});

function running({ routines, acting, book, clock, life }: RoutineServiceDeps): Pick<RoutineHandlers, 'run'> {
  return {
    run: async ({ caller, params, body }) => {
      const routine = await routines.get(caller, params.id);
      await acting.allow(caller, routine.identityId);
      const entered = await book.enter(routine, {
        slot: `manual:${onceMark() ?? randomUUID()}`,
        source: 'Manual',
        dueAt: clock.now(),
        isNewest: true,
        detailJson: body?.triggerDetailJson ?? null,
        ignoreThrottles: body?.ignoreThrottles ?? false,
      });
      if (entered.kind === 'entered' || entered.kind === 'known') {
        const isNew = entered.row.outcomeId === 'Pending';
        return toRowDto(isNew ? await life.start(entered.row) : entered.row);
      }
      const reason = entered.kind === 'refused' ? entered.reason : 'Earlier moments have not been caught up.';
      throw new Fault('ROUTINE_THROTTLED', reason, {
        hint: 'Wait, or send ignoreThrottles; an archived project takes no runs at all.',
      });
    },
  };
}

function switching(deps: RoutineServiceDeps): Pick<RoutineHandlers, 'enable' | 'disable'> {
  const { routines, acting, book, clock } = deps;
  return {
    enable: async ({ caller, params, body }) => {
      const old = await routines.get(caller, params.id);
      await acting.allow(caller, old.identityId);
      const lastSeq = await book.newestSeq(old._id);
      const doc = await routines.change(
        caller,
        params.id,
        (now) => {
          if (now.isEnabled) return {};
          const since = body?.runMissed && now.pausedAt ? now.pausedAt : new Date(clock.now());
          const coveredTo = new Date(Math.max(since.getTime(), now.coveredTo.getTime()));
          return {
            ...{ isEnabled: true, pausedAt: null, pausedReason: null, failuresAfterSeq: lastSeq, coveredTo },
            scheduleVersion: now.scheduleVersion + 1,
            nextDueAt: nextDueOf(now, coveredTo.getTime()),
          };
        },
        { expecting: ['isEnabled', 'scheduleVersion'] },
      );
      deps.changed();
      const isOver = doc.nextDueAt === null && !['Manual', 'Event'].includes(doc.scheduleKindId);
      const warning = isOver
        ? 'It is due no more: its schedule has no further moment.'
        : warningOf(scheduleOf(doc), clock.now());
      return { routine: toRoutineDto(doc), warning };
    },
    disable: async ({ caller, params, body }) => {
      const old = await routines.get(caller, params.id);
      await acting.allow(caller, old.identityId);
      // What was due until now is in the ledger first.
      if (old.isEnabled) await deps.cover.cover(old);
      const doc = await routines.change(
        caller,
        params.id,
        (now) => ({
          ...{ isEnabled: false, nextDueAt: null, pausedReason: body?.reason ?? null },
          pausedAt: now.pausedAt ?? new Date(clock.now()),
          scheduleVersion: now.scheduleVersion + 1,
        }),
        { expecting: ['isEnabled', 'scheduleVersion'] },
      );
      if (body?.cancelActiveRuns) await cancelRunsOf({ ...deps, rows: book.rows }, doc._id);
      deps.changed();
      return toRoutineDto(doc);
    },
  };
}
