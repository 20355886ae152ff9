// Supervisor: a model that reviews an escalation before people, and decides it above a confidence threshold.
import { Fault } from '../../../src/kernel/fault.ts';
import type { ModelMessage } from '../../model.ts';
import type { Waiting } from '../../records.ts';
import { type EscalationRecord, isApproval, isToolApproval, moveEscalation } from '../../state/escalation.ts';
import { resolve } from '../escalations/decisions.ts';
import { commitOwned } from '../records/commits.ts';
import { type Core, type LiveRun, Stop } from '../records/core.ts';
import { changeEscalation } from '../records/escalation-records.ts';
import { auxCall } from './aux-call.ts';

const reviewTokens = 400;

interface Review {
  decision: string;
  confidence: number;
  notes: string | null;
}

/** Reviews the questions that the run is about to wait for. After any failure a person is asked. */
export async function supervise(core: Core, live: LiveRun, waits: readonly Waiting[]): Promise<void> {
  const supervisor = live.briefing?.supervisor;
  for (const wait of waits) {
    if (wait.for !== 'decision' || wait.decision) continue;
    const escalation = await core.store.escalations.get(wait.escalationId);
    if (escalation?.status !== 'SupervisorReview') continue;
    const review = supervisor ? await ask(core, live, escalation, supervisor.modelId) : null;
    await settle(core, live, escalation, review, supervisor?.autoResolveConfidence ?? 1).catch((error) => {
      // A person decided first: that decision stands.
      if (!(error instanceof Fault) || error.code !== 'INVALID_TRANSITION') throw error;
    });
  }
}

async function ask(core: Core, live: LiveRun, escalation: EscalationRecord, modelId: string): Promise<Review | null> {
  const options = escalation.optionsJson ? `\nOptions: ${escalation.optionsJson}` : '';
  const own = escalation.supervisorRecommendation
    ? `\nThe agent recommends: ${escalation.supervisorRecommendation}`
    : '';
  const messages: ModelMessage[] = [
    {
      role: 'system',
      content:
        'You supervise an agent and decide for it only what you are sure of. Answer with JSON alone: {"decision": string, "confidence": number from 0 to 1, "notes": string}.',
    },
    {
      role: 'user',
      content: `Goal of the agent: ${live.run.goal.slice(0, 4000)}\n\nIt asks: ${escalation.situation}${options}${own}`,
    },
  ];
  try {
    const text = await auxCall(core, live, { modelId, messages, maxOutputTokens: reviewTokens, purpose: 'Supervisor' });
    return text === null ? null : parseReview(text);
  } catch (error) {
    if (error instanceof Stop || live.abort.signal.aborted) throw error;
    core.log.warn({ err: error, runId: live.run.id }, 'the supervisor gave no answer');
    return null;
  }
}

/** The JSON object in a model's answer, if it is a review. */
export function parseReview(text: string): Review | null {
  const json = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1);
  try {
    const { decision, confidence, notes } = JSON.parse(json) as Record<string, unknown>;
    if (typeof decision !== 'string' || typeof confidence !== 'number') return null;
    return {
      decision,
      confidence: Math.min(1, Math.max(0, confidence)),
      notes: typeof notes === 'string' ? notes : null,
    };
  } catch {
    return null;
  }
}

/** Whether a decision on a tool call is one clear word; any other text is put to a person. */
const isClear = (escalation: EscalationRecord, decision: string) =>
  !isToolApproval(escalation) || isApproval(decision) || /^reject(ed)?\b/i.test(decision.trim());

async function settle(
  core: Core,
  live: LiveRun,
  escalation: EscalationRecord,
  review: Review | null,
  least: number,
): Promise<void> {
  if (review && review.confidence >= least && isClear(escalation, review.decision)) {
    const { decision, notes } = review;
    await resolve(core, escalation.id, { decision, notes, by: 'supervisor', mode: 'Supervisor' });
  } else {
    await changeEscalation(core, escalation.id, (now) => ({
      status: moveEscalation(now.status, 'ask-human'),
      ...(review ? { supervisorRecommendation: review.decision, confidence: review.confidence } : {}),
    }));
  }
  await commitOwned(core, live, () => ({
    events: [
      {
        type: 'EscalationReviewed',
        title: review ? `Supervisor: ${review.decision}` : 'The supervisor gave no answer',
        message: review?.notes ?? null,
        payload: { escalationId: escalation.id, confidence: review?.confidence ?? null },
      },
    ],
  }));
}
