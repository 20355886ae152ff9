// Keeps hints: whoever may act as an identity leaves them for it, and sees to those that are due.
import type { Acting } from '../../../auth/acting.ts';
import type { Caller } from '../../../contract/caller.ts';
import { implement } from '../../../contract/operation.ts';
import { toPage } from '../../../contract/page.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Filter } from '../../../ports/db.ts';
import type { Keeper } from '../../../ports/keeper.ts';
import { onceMark } from '../../../ports/once.ts';
import { shown } from '../../../ports/shown.ts';
import { identityHints } from './contract.ts';
import { IdentityHintDto } from './dto.ts';
import { dueNow } from './due.ts';
import type { HintDoc } from './record.ts';
import { nextTime } from './recurrence.ts';

export interface HintsDeps {
  hints: Keeper<HintDoc>;
  acting: Acting;
  clock: Clock;
}

interface Content {
  content: string;
  category?: string | null | undefined;
  priority?: number | null | undefined;
  isRecurring?: boolean | null | undefined;
  recurrencePattern?: string | null | undefined;
  triggerAtUtc?: string | null | undefined;
  sourceMemoryId?: number | null | undefined;
}

const plainPriority = 50;
const minute = 60_000;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a handler for each operation of the group, and what they share.
export const identityHintsService = implement(identityHints, ({ hints, acting, clock }: HintsDeps) => {
  /** The identity whose hints these are, which the caller may act as. */
  const whose = async (caller: Caller, identityId: number): Promise<Filter<HintDoc>> => {
    await acting.require(caller, identityId);
    return { identityId };
  };

  const made = async (body: Content) => {
    const isRecurring = body.isRecurring ?? body.recurrencePattern != null;
    if (isRecurring !== (body.recurrencePattern != null))
      throw new Fault('VALIDATION_FAILED', 'A recurring hint has a recurrencePattern, and no other one has.', {
        hint: 'Send both isRecurring and recurrencePattern, or neither.',
      });
    const from = body.triggerAtUtc == null ? (isRecurring ? clock.now() : null) : Date.parse(body.triggerAtUtc);
    const recurrencePattern = body.recurrencePattern ?? null;
    // The first time is one of the rule's, too: a Monday for a rule of Mondays.
    const first =
      recurrencePattern === null || from === null ? from : await nextTime(recurrencePattern, from, from - 1);
    if (isRecurring && first === null)
      throw new Fault('VALIDATION_FAILED', 'This rule has no time at all.', { hint: 'Look at its COUNT and UNTIL.' });
    return {
      content: body.content,
      category: body.category ?? null,
      priority: body.priority ?? plainPriority,
      isRecurring,
      recurrencePattern,
      triggerAt: first === null ? null : new Date(first),
      dueAt: new Date(first ?? clock.now()),
      startAt: from === null ? null : new Date(from),
      toldFor: null,
      remark: null,
      open: true,
      dismissedAt: null,
      completedAt: null,
      sourceMemoryId: body.sourceMemoryId ?? null,
    };
  };

  const done = (completedAt: Date, remark: string | null | undefined) => ({
    open: false,
    completedAt,
    remark: remark ?? null,
    mark: onceMark(),
  });
  const at = (time: Date) => ({ triggerAt: time, dueAt: time });

  /** The hint, if this very request has changed it before it could be answered. */
  const repeated = async (caller: Caller, id: number, within: Filter<HintDoc>): Promise<HintDoc | null> => {
    const mark = onceMark();
    const hint = mark === null ? null : await hints.get(caller, id, within);
    return hint?.mark === mark ? hint : null;
  };

  return {
    list: async ({ caller, params, query: { includeDismissed, includeCompleted, ...query } }) => {
      const within = {
        ...(await whose(caller, params.identityId)),
        ...(includeDismissed ? {} : { dismissedAt: null }),
        ...(includeCompleted ? {} : { completedAt: null }),
      };
      const { items, totalCount } = await hints.page(caller, query, { within });
      return toPage(items.map(toHintDto), totalCount, query);
    },
    create: async ({ caller, params, body }) => {
      await whose(caller, params.identityId);
      return toHintDto(await hints.insert(caller, { ...(await made(body)), identityId: params.identityId }));
    },
    due: async ({ caller, params, query: { asOfUtc, withinMinutes = 0, sort = '-priority', ...query } }) => {
      const at = (asOfUtc === undefined ? clock.now() : Date.parse(asOfUtc)) + withinMinutes * minute;
      const within = { ...(await whose(caller, params.identityId)), ...dueNow(at) };
      const { items, totalCount } = await hints.page(caller, { ...query, sort }, { within });
      return toPage(items.map(toHintDto), totalCount, query);
    },
    replace: async ({ caller, params, body }) => {
      const within = await whose(caller, params.identityId);
      await hints.get(caller, params.hintId, within);
      return toHintDto(await hints.change(caller, params.hintId, await made(body), { within }));
    },
    complete: async ({ caller, params, body }) => {
      const within = await whose(caller, params.identityId);
      const now = clock.now();
      const before = await repeated(caller, params.hintId, within);
      if (before) return toHintDto(before);
      const step = async ({ open, recurrencePattern, startAt, triggerAt }: HintDoc) => {
        if (!open) throw closed();
        if (recurrencePattern === null || startAt === null) return done(new Date(now), body.note);
        const next = await nextTime(recurrencePattern, startAt.getTime(), Math.max(now, triggerAt?.getTime() ?? 0));
        return next === null
          ? done(new Date(now), body.note)
          : { ...at(new Date(next)), remark: body.note ?? null, mark: onceMark() };
      };
      return toHintDto(await hints.change(caller, params.hintId, step, { within, expecting: ['open', 'triggerAt'] }));
    },
    dismiss: async ({ caller, params, body: { reason, snoozeUntilUtc } }) => {
      const within = await whose(caller, params.identityId);
      const now = new Date(clock.now());
      if (snoozeUntilUtc != null && Date.parse(snoozeUntilUtc) <= now.getTime())
        throw new Fault('VALIDATION_FAILED', 'snoozeUntilUtc has passed.', { hint: 'Name a later time.' });
      const before = await repeated(caller, params.hintId, within);
      if (before) return toHintDto(before);
      const step = ({ open }: HintDoc) => {
        if (!open) throw closed();
        const remark = reason ?? null;
        if (snoozeUntilUtc != null) return { ...at(new Date(snoozeUntilUtc)), remark };
        return { open: false, dismissedAt: now, remark, mark: onceMark() };
      };
      return toHintDto(await hints.change(caller, params.hintId, step, { within, expecting: ['open'] }));
    },
  };
});

export const toHintDto = (hint: HintDoc): IdentityHintDto => shown(IdentityHintDto, hint);

const closed = () =>
  new Fault('INVALID_TRANSITION', 'This hint was completed or dismissed before.', {
    hint: 'Open it again with PUT /api/identities/{identityId}/hints/{hintId}.',
  });
