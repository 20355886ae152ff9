// Tasks of A2A as they stand: a run's status, result and open question in the words of the protocol.
import { type Artifact, Message, type Task, TaskState } from '@a2a-js/sdk';
import type { RunRecord, RunStatus } from '../../../runtime/records.ts';
import type { EscalationRecord } from '../../../runtime/state/escalation.ts';
import type { A2aTaskDoc } from './record.ts';
import { partsOf, saidByAgent } from './words.ts';

const states: Record<RunStatus, TaskState> = {
  Pending: TaskState.TASK_STATE_SUBMITTED,
  Queued: TaskState.TASK_STATE_SUBMITTED,
  Running: TaskState.TASK_STATE_WORKING,
  WaitingForChildren: TaskState.TASK_STATE_WORKING,
  WaitingForDecision: TaskState.TASK_STATE_INPUT_REQUIRED,
  // Both wait for somebody: one for a word, the other for more budget.
  Paused: TaskState.TASK_STATE_INPUT_REQUIRED,
  BudgetExhausted: TaskState.TASK_STATE_INPUT_REQUIRED,
  Completed: TaskState.TASK_STATE_COMPLETED,
  Failed: TaskState.TASK_STATE_FAILED,
  TimedOut: TaskState.TASK_STATE_FAILED,
  Cancelled: TaskState.TASK_STATE_CANCELED,
};

/** A run that has begun and is queued again, after a decision or a lost lease, is at work. */
export const stateOf = ({ status, startedAt }: Pick<RunRecord, 'status' | 'startedAt'>): TaskState =>
  status === 'Queued' && startedAt !== null ? TaskState.TASK_STATE_WORKING : states[status];

const ended: ReadonlySet<TaskState> = new Set([
  TaskState.TASK_STATE_COMPLETED,
  TaskState.TASK_STATE_FAILED,
  TaskState.TASK_STATE_CANCELED,
]);
export const hasEnded = (state: TaskState): boolean => ended.has(state);
/** Nothing happens by itself any more. */
export const isResting = (state: TaskState): boolean =>
  ended.has(state) || state === TaskState.TASK_STATE_INPUT_REQUIRED;

/** When a task came into its state, or its question was put. */
export const changedAt = ({ completedAt, updatedAt }: Pick<RunRecord, 'completedAt' | 'updatedAt'>): number =>
  completedAt ?? updatedAt;

const isOpen = ({ status }: EscalationRecord) =>
  status === 'Open' || status === 'SupervisorReview' || status === 'AwaitingHuman';
/** The question that a run waits for; null where it waits for none. */
export const openQuestion = (escalations: readonly EscalationRecord[]): EscalationRecord | null =>
  escalations.filter(isOpen).sort((a, b) => b.id - a.id)[0] ?? null;

export interface Standing {
  task: A2aTaskDoc;
  run: RunRecord;
  question: EscalationRecord | null;
}

/** The whole task, with no more than `historyLength` messages; what its run has made comes before what it says of that. */
export function taskOf(standing: Standing, historyLength: number | undefined, files: readonly Artifact[]): Task {
  const { task, run } = standing;
  const state = stateOf(run);
  const history = task.messages.map((text) => Message.fromJSON(JSON.parse(text)));
  return {
    id: task._id,
    contextId: task.contextId,
    status: { state, message: saidWith(standing), timestamp: new Date(changedAt(run)).toISOString() },
    artifacts: [...files, ...artifactsOf(run)],
    history: historyLength === undefined ? history : historyLength <= 0 ? [] : history.slice(-historyLength),
    metadata: { runId: run.id },
  };
}

/** What the state needs said: a question, or why it has failed. */
function saidWith(standing: Standing): Message | undefined {
  const { task, run, question } = standing;
  const state = stateOf(run);
  const say = (what: string, text: string) => saidByAgent(`${task._id}-${what}`, task, text);
  if (state === TaskState.TASK_STATE_FAILED || state === TaskState.TASK_STATE_CANCELED)
    return say('end', run.failureReason ?? `The run ended as ${run.status}.`);
  return state === TaskState.TASK_STATE_INPUT_REQUIRED ? questionOf(standing, question) : undefined;
}

/** What the agent waits for, as a message. */
export function questionOf({ task, run }: Pick<Standing, 'task' | 'run'>, question: EscalationRecord | null): Message {
  if (run.status === 'Paused')
    return saidByAgent(`${task._id}-paused`, task, 'The work is paused. Any message has it go on.');
  if (run.status === 'BudgetExhausted')
    return saidByAgent(`${task._id}-budget`, task, 'The budget is used up. Somebody who may has to give more.');
  if (!question) return saidByAgent(`${task._id}-waits`, task, 'It waits for a decision.');
  const isApproval = question.kind === 'toolApproval';
  const options = isApproval ? '\n\nAnswer "approve", or say why not.' : optionsOf(question.optionsJson);
  return saidByAgent(`${task._id}-question-${question.id}`, task, `${question.situation}${options}`);
}

const optionsOf = (json: string | null): string => (json === null ? '' : `\n\nOptions: ${json}`);

export const resultId = 'result';

export function artifactsOf({ status, result }: Pick<RunRecord, 'status' | 'result'>): Artifact[] {
  if (status !== 'Completed' || result === null) return [];
  const texts = [result.summary, result.deliverable].filter((text): text is string => !!text && text.trim() !== '');
  if (texts.length === 0) return [];
  return [artifact(texts.flatMap(partsOf))];
}

export const artifact = (parts: Artifact['parts']): Artifact => ({
  artifactId: resultId,
  name: 'Result',
  description: '',
  parts,
  metadata: undefined,
  extensions: [],
});
