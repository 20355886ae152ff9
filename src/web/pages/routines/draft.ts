// What the form of a routine holds, as text, and the settings that it stands for.
import type { AgentRoutineDetailDto } from '../../../client/index.ts';

export const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'] as const;

interface Period {
  from: string;
  to: string;
  days?: string[];
}

/** One period goes into fields; several stay the text that they are. */
function quietOf(json: string | null | undefined) {
  const read = json ? (JSON.parse(json) as Period | Period[]) : [];
  const all = [read].flat();
  const [first] = all;
  return {
    quietFrom: first?.from ?? '',
    quietTo: first?.to ?? '',
    quietDays: [...(first?.days ?? [])],
    quietText: all.length > 1 ? (json ?? '') : '',
  };
}

/** A time as its field wants it: local, to the minute. */
function localOf(at: string | null | undefined): string {
  if (!at) return '';
  const date = new Date(at);
  return new Date(date.getTime() - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export const writtenOf = (routine?: AgentRoutineDetailDto) => ({
  name: routine?.name ?? '',
  description: routine?.description ?? '',
  brief: routine?.briefMarkdown ?? '',
  threshold: routine?.thresholdMarkdown ?? '',
  identity: String(routine?.identityId ?? ''),
  project: String(routine?.projectId ?? ''),
  kind: routine?.scheduleKindId ?? ('Cron' as const),
  cron: routine?.cronExpression ?? '0 9 * * *',
  interval: String(routine?.intervalMinutes ?? 60),
  once: localOf(routine?.runOnceAtUtc),
  zone: routine?.timezoneId ?? Intl.DateTimeFormat().resolvedOptions().timeZone ?? 'UTC',
  expiry: localOf(routine?.watchExpiryUtc),
  ...quietOf(routine?.quietHoursJson),
  maxRunsPerDay: String(routine?.maxRunsPerDay ?? 0),
  maxConcurrentRuns: String(routine?.maxConcurrentRuns ?? 1),
  missed: routine?.missedRunPolicyId ?? ('RunOnce' as const),
  report: routine?.reportPolicyId ?? ('OnChange' as const),
  pauses: routine?.pauseOnRepeatedAuthFailure ?? true,
  budget: routine?.poolTokenBudgetOverride ? String(routine.poolTokenBudgetOverride) : '',
});
export type Written = ReturnType<typeof writtenOf>;

/** Of a part of the form. */
export interface FieldsProps {
  written: Written;
  onWrite: (change: Partial<Written>) => void;
}

/** Whether everything is there that the server asks for. */
export function isWhole({ name, brief, kind, cron, interval, once }: Written): boolean {
  if (name.trim() === '' || brief.trim() === '') return false;
  if (kind === 'Cron') return cron.trim() !== '';
  if (kind === 'Interval') return Number(interval) >= 1;
  return kind !== 'Once' || once !== '';
}

const textOr = (text: string) => (text.trim() === '' ? null : text);
const dateOf = (local: string) => (local === '' ? null : new Date(local).toISOString());

function quietJson({ quietFrom, quietTo, quietDays, quietText }: Written): string | null {
  if (quietText.trim() !== '') return quietText;
  if (quietFrom === '' && quietTo === '') return null;
  const days = quietDays.length > 0 ? { days: quietDays } : {};
  return JSON.stringify({ from: quietFrom, to: quietTo, ...days });
}

export const settingsOf = (written: Written) => ({
  name: written.name,
  briefMarkdown: written.brief,
  description: textOr(written.description),
  thresholdMarkdown: textOr(written.threshold),
  ...(written.identity ? { identityId: Number(written.identity) } : {}),
  projectId: written.project ? Number(written.project) : null,
  scheduleKindId: written.kind,
  cronExpression: written.kind === 'Cron' ? written.cron : null,
  intervalMinutes: written.kind === 'Interval' ? Number(written.interval) : null,
  runOnceAtUtc: written.kind === 'Once' ? dateOf(written.once) : null,
  timezoneId: written.zone,
  watchExpiryUtc: dateOf(written.expiry),
  quietHoursJson: quietJson(written),
  maxRunsPerDay: Number(written.maxRunsPerDay),
  maxConcurrentRuns: Number(written.maxConcurrentRuns),
  missedRunPolicyId: written.missed,
  reportPolicyId: written.report,
  pauseOnRepeatedAuthFailure: written.pauses,
  poolTokenBudgetOverride: written.budget ? Number(written.budget) : null,
});
