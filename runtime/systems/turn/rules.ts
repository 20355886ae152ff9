// Standing rules at the calls of a run: a call may be blocked, put to a person, or held until the model has read the
// rules.
import type { ToolCallRecord } from '../../message-log.ts';
import type { EventDraft, RunRecord } from '../../records.ts';
import type { RuleRuling } from '../../state/rule-gate.ts';
import { commitOwned } from '../records/commits.ts';
import type { Core, LiveRun } from '../records/core.ts';

/** Limit of the read rules that a run remembers. */
const mostTold = 200;

const toldOf = ({ rulesTold }: RunRecord): ReadonlySet<number> => new Set(rulesTold);

/** Ruling on a call that is about to be made; null when no rule applies. */
export async function ruledCall(
  core: Core,
  live: LiveRun,
  { name, argumentsJson }: Pick<ToolCallRecord, 'name' | 'argumentsJson'>,
): Promise<RuleRuling | null> {
  if (!core.rules) return null;
  const { run } = live;
  return core.rules.beforeCall(run, {
    tool: name,
    argumentsJson,
    told: toldOf(run),
    used: () => usedTools(core, live),
  });
}

/** Names of tools that the run has used with success, as far as the model's context shows. */
async function usedTools(core: Core, live: LiveRun): Promise<ReadonlySet<string>> {
  const before = live.offset === 0 ? [] : await core.store.runs.messages(live.run.id, 0, live.offset);
  const all = [...before.map(({ message }) => message), ...live.messages];
  const made = all.flatMap((one) => (one.role === 'tool' && !one.isError ? [one.toolName] : []));
  return new Set(made);
}

/** Event of rules that came up, with the run's memory that its model has read them. */
export function surfaced(
  run: RunRecord,
  { ruleIds, reason }: Pick<RuleRuling, 'ruleIds' | 'reason'>,
  why: { verdict: RuleRuling['verdict'] | 'tell'; tool?: string },
): { set: Partial<RunRecord>; events: EventDraft[] } {
  const rulesTold = [...new Set([...(run.rulesTold ?? []), ...ruleIds])].slice(-mostTold);
  const event: EventDraft = {
    type: 'RuleSurfaced',
    level: why.verdict === 'tell' ? 'Information' : 'Warning',
    title: `${ruleIds.length === 1 ? 'Rule' : 'Rules'} ${ruleIds.join(', ')}`,
    message: reason,
    payload: { ruleIds, verdict: why.verdict },
    ...(why.tool === undefined ? {} : { toolName: why.tool }),
  };
  return { set: { rulesTold }, events: [event] };
}

/** Objection of the rules to a final answer, as text for the model; null for none. */
export async function ruledEnd(core: Core, live: LiveRun, answer: string): Promise<string | null> {
  const ruling = await ruledCall(core, live, {
    name: 'run_complete',
    argumentsJson: JSON.stringify({ summary: answer }),
  });
  if (!ruling) return null;
  await commitOwned(core, live, (now) => surfaced(now, ruling, { verdict: ruling.verdict, tool: 'run_complete' }));
  const how = ruling.verdict === 'ask' ? 'Call run_complete: a person is then asked.' : 'The run has not ended.';
  return `${ruling.text}\n${how}`;
}

/** Rules on a failure among the calls of a turn that the model has not read. */
export async function rulesOnError(core: Core, { run }: LiveRun, records: readonly ToolCallRecord[]) {
  if (!core.rules || !records.some(({ state }) => state === 'Failed')) return null;
  const found = await core.rules.onError(run, toldOf(run));
  return found && { ...surfaced(run, found, { verdict: 'tell' }), text: found.text };
}
