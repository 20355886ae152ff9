// Loop detection: the same call three times, or three turns without progress.
import { hash } from 'node:crypto';
import type { ToolCallRecord } from '../../message-log.ts';
import type { ModelMessage } from '../../model.ts';
import type { EventDraft, RunRecord } from '../../records.ts';

const replanAt = 3;
const escalateAt = 6;
const remembered = 24;

/** Signature of a call: equal for the same tool and arguments. */
const signature = (call: ToolCallRecord) =>
  hash('sha1', `${call.name} ${call.argumentsJson}`, 'base64url').slice(0, 12);

export interface Verdict {
  set: Partial<RunRecord>;
  events: EventDraft[];
  /** Advice for the model to try another approach. */
  advice: ModelMessage | null;
  escalate: boolean;
}

/** Judges a finished turn by its calls. */
export function judgeTurn(run: RunRecord, calls: readonly ToolCallRecord[]): Verdict {
  // Calls cut by a restart do not count, and failed ones may succeed the next time.
  const made = calls.filter((call) => !call.isError).map(signature);
  const isNew = made.some((one) => !run.recentCalls.includes(one));
  const wasCutOff = calls.length > 0 && calls.every((call) => call.interrupted);
  const idleTurns = isNew ? 0 : run.idleTurns + (wasCutOff ? 0 : 1);
  const recentCalls = [...run.recentCalls, ...made].slice(-remembered);
  const repeats = Math.max(0, ...made.map((one) => recentCalls.filter((other) => other === one).length));
  const worst = wasCutOff ? 0 : Math.max(idleTurns, isNew ? 0 : repeats);
  const verdict: Verdict = { set: { recentCalls, idleTurns }, events: [], advice: null, escalate: false };
  if (worst === 0 || worst % replanAt !== 0) return verdict;
  const why =
    repeats >= replanAt ? `the same call was made ${repeats} times` : `${idleTurns} turns brought nothing new`;
  verdict.set.staleStepCount = run.staleStepCount + 1;
  verdict.escalate = worst >= escalateAt;
  verdict.events.push({
    type: 'StaleWarning',
    level: 'Warning',
    title: `No progress: ${why}`,
    payload: { idleTurns, repeats },
  });
  verdict.advice = {
    role: 'user',
    content: `[Guidance] You are going in circles: ${why}. Stop, say what you know, make another plan with run_plan, and take a different step. If you cannot go on, ask with run_escalate or end with run_fail.`,
  };
  return verdict;
}
