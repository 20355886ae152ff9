// Runs in the words of MCP's tasks, in both of its forms: the capability of 2025-11-25, the extension of 2026-07-28.
import type { AgentEscalationDto, AgentRunDetailDto, AgentRunDto } from '../../groups/agent/dto.ts';

/** Whether tasks are told as the capability of the earlier era, or as the extension of the newer one. */
export type Era = 'legacy' | 'modern';
export type TaskStatus = 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled';

/** Milliseconds after which a client may ask again. */
export const pollInterval = 1000;

const ends: Partial<Record<AgentRunDto['status'], TaskStatus>> = {
  Completed: 'completed',
  Failed: 'failed',
  TimedOut: 'failed',
  Cancelled: 'cancelled',
};

/** Status of an ended run's task; undefined while the run goes on. */
export const endOf = ({ status }: Pick<AgentRunDto, 'status'>): TaskStatus | undefined => ends[status];

/** A task's id: the run's number finds it, its GUID cannot be guessed. */
export const taskIdOf = ({ id, guid }: Pick<AgentRunDto, 'id' | 'guid'>) => `${id}-${guid}`;
export function runOfTask(taskId: string): Pick<AgentRunDto, 'id' | 'guid'> | null {
  const [, id, guid] = /^(\d{1,15})-([0-9a-f-]{36})$/.exec(taskId) ?? [];
  return id && guid ? { id: Number(id), guid } : null;
}

type Run = AgentRunDto & Partial<Pick<AgentRunDetailDto, 'recentEvents' | 'escalations'>>;

/** The open questions of a run itself, oldest first. */
export const openQuestions = ({ escalations = [] }: Pick<Run, 'escalations'>): AgentEscalationDto[] =>
  escalations.filter(({ status }) => open.has(status)).sort((a, b) => a.id - b.id);
const open: ReadonlySet<string> = new Set(['Open', 'SupervisorReview', 'AwaitingHuman']);

/** A task as clients are told of it; `status` is given where it is not the run's own. */
export function taskOf(run: Run, era: Era, status: TaskStatus = endOf(run) ?? 'working') {
  const message = messageOf(run);
  const task = {
    taskId: taskIdOf(run),
    status,
    ...(message && { statusMessage: message }),
    createdAt: run.createdAtUtc,
    lastUpdatedAt: changedAt(run),
  };
  // A run is kept until somebody deletes it, or the tenant's rules of retention do.
  return era === 'legacy'
    ? { ...task, ttl: null, pollInterval }
    : { ...task, ttlMs: null, pollIntervalMs: pollInterval };
}

const changedAt = ({ completedAtUtc, startedAtUtc, createdAtUtc, recentEvents = [] }: Run): string =>
  completedAtUtc ??
  [startedAtUtc ?? createdAtUtc, ...recentEvents.map((event) => event.createdAtUtc)].sort().at(-1) ??
  createdAtUtc;

function messageOf(run: Run): string | null {
  switch (run.status) {
    case 'WaitingForDecision': {
      const [question] = openQuestions(run);
      const asked = question ? `: ${question.situation.slice(0, 2000)}` : '.';
      return `The run waits for a decision, see escalation_list${asked}`;
    }
    case 'Paused':
      return 'The run is paused; run_resume has it go on.';
    case 'BudgetExhausted':
      return `The budget is used up. ${run.exhaustedBy?.message ?? 'Somebody has to give more.'}`;
    default:
      return run.failureReason ?? run.progressSummary;
  }
}

/** A question as one that the client puts to its person. */
export function requestOf({ situation, optionsJson }: AgentEscalationDto) {
  const options = optionsIn(optionsJson);
  const description = options ? `One of: ${options.join(', ')}` : (optionsJson ?? 'What the run shall be told.');
  return {
    method: 'elicitation/create' as const,
    params: {
      mode: 'form' as const,
      message: situation,
      requestedSchema: {
        type: 'object' as const,
        properties: { decision: { type: 'string' as const, title: 'Decision', description, minLength: 1 } },
        required: ['decision'],
      },
    },
  };
}

/** The decision in what a person answered; null where they left the question open, undefined where it is no answer. */
export function decisionIn(answer: unknown, { optionsJson }: AgentEscalationDto): string | null | undefined {
  const { action, content } = (answer ?? {}) as { action?: unknown; content?: { decision?: unknown } | null };
  if (action === 'cancel') return null;
  if (action === 'decline') return optionsIn(optionsJson)?.find((one) => one === 'reject') ?? 'decline';
  const decision = action === 'accept' ? content?.decision : undefined;
  return typeof decision === 'string' && decision.trim() !== '' ? decision : undefined;
}

function optionsIn(json: string | null): string[] | null {
  try {
    const options = JSON.parse(json ?? 'null') as unknown;
    return Array.isArray(options) && options.every((one) => typeof one === 'string') ? options : null;
  } catch {
    return null;
  }
}
