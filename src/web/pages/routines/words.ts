// How routines are put into words: when they are due, in the zone that they go by, and what became of a moment.
import type { AgentRoutineDto, RoutineRunOutcome } from '../../../client/index.ts';
import { plural, t } from '../../base/i18n.ts';
import type { Shape, Tone } from '../../ui/status.tsx';

const formats = new Map<string, Intl.DateTimeFormat>();
function formatOf(zone: string, options: Intl.DateTimeFormatOptions, locale?: string): Intl.DateTimeFormat {
  const key = `${zone} ${locale} ${JSON.stringify(options)}`;
  const format = formats.get(key) ?? new Intl.DateTimeFormat(locale, { ...options, timeZone: zone });
  formats.set(key, format);
  return format;
}

export const hasSeconds = (at: string): boolean => new Date(at).getUTCSeconds() !== 0;
/** Date and time as clocks in a zone show them; seconds where they say something. */
export const timeIn = (zone: string, at: string): string =>
  formatOf(zone, { dateStyle: 'medium', timeStyle: hasSeconds(at) ? 'medium' : 'short' }).format(new Date(at));
const minutes = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
export const clockIn = (zone: string, at: string, seconds: boolean): string =>
  formatOf(zone, seconds ? { ...minutes, second: '2-digit' } : minutes).format(new Date(at));
/** As the simulation names days: 2026-11-26. */
export const dateIn = (zone: string, at: string | number): string =>
  formatOf(zone, { dateStyle: 'short' }, 'en-CA').format(new Date(at));
export const dayIn = (zone: string, at: string | number): string =>
  formatOf(zone, { weekday: 'short', month: 'short', day: 'numeric' }).format(new Date(at));

export function scheduleWords(routine: AgentRoutineDto): string {
  const { scheduleKindId, cronExpression, intervalMinutes, runOnceAtUtc, timezoneId } = routine;
  switch (scheduleKindId) {
    case 'Cron':
      return `${cronExpression} · ${timezoneId}`;
    case 'Interval':
      return plural(intervalMinutes ?? 0, 'every minute', 'every {n} minutes');
    case 'Once':
      return runOnceAtUtc ? t('once, {when}', { when: timeIn(timezoneId, runOnceAtUtc) }) : t('once');
    case 'Event':
      return t('by events');
    case 'Manual':
    case null:
      return t('by hand');
    default:
      return scheduleKindId satisfies never;
  }
}

export const outcomeLooks: Record<RoutineRunOutcome, readonly [Shape, Tone]> = {
  Pending: ['hollow', 'plain'],
  Running: ['flow', 'accent'],
  Succeeded: ['tick', 'good'],
  NoChange: ['dot', 'plain'],
  ThresholdMet: ['gauge', 'accent'],
  Failed: ['cross', 'bad'],
  Cancelled: ['dam', 'plain'],
  SkippedQuietHours: ['bars', 'plain'],
  SkippedThrottled: ['bars', 'warn'],
  SkippedOverlap: ['bars', 'warn'],
  Missed: ['clock', 'warn'],
};
