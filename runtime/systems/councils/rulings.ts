// Escalations for a council: the run wakes, holds the council on its own budget, and takes its consensus.
import { Fault } from '../../../src/kernel/fault.ts';
import type { Waiting } from '../../records.ts';
import type { Participant } from '../../state/council.ts';
import { type EscalationRecord, moveEscalation } from '../../state/escalation.ts';
import { moveRun } from '../../state/run.ts';
import { type Resolution, resolve } from '../escalations/decisions.ts';
import { commit, commitOwned } from '../records/commits.ts';
import type { Core, LiveRun } from '../records/core.ts';
import { changeEscalation, escalationOf } from '../records/escalation-records.ts';
import { asAsked, wasAsked } from '../records/keyed-commands.ts';
import { holdCouncil } from './councils.ts';
import { runHost } from './hosts.ts';

type DecisionWait = Extract<Waiting, { for: 'decision' }>;

/** Default participants: points of view that cover most decisions. */
const panel: Participant[] = [
  ['Advocate', 'who looks for what the option that serves the goal best would bring'],
  ['Sceptic', 'who looks for what could go wrong, and what cannot be undone'],
  ['Pragmatist', 'who weighs effort, time and what is known against what is not'],
].map(([name = '', role = '']) => ({ name, role, modelId: null, identityId: null }));
const rounds = 2;

/**
 * Asks for a council of the waiting run; a person may still decide first. `decision` is the option the asker
 * prefers.
 */
export async function askCouncil(core: Core, id: number, resolution: Resolution): Promise<EscalationRecord> {
  const escalation = await escalationOf(core, id);
  const asker = escalation.runId === null ? null : await core.store.runs.get(escalation.runId);
  if (asker && wasAsked(asker, resolution)) return escalation;
  moveEscalation(escalation.status, 'resolve');
  const committed =
    escalation.runId === null
      ? null
      : await commit(core, escalation.runId, (run) => {
          const wait = waitFor(run.waiting, id);
          if (!wait || wait.decision || run.status !== 'WaitingForDecision') return null;
          const { decision: lean, notes = null } = resolution;
          const waiting = run.waiting.map((one) => (one === wait ? { ...wait, council: { lean, notes } } : one));
          const reason = 'A council is asked.';
          const move = moveRun({ ...run, waiting }, 'decide', { now: core.clock.now(), reason, by: resolution.by });
          return asAsked(run, resolution, { ...move, set: { ...move.set, waiting } });
        });
  if (!committed)
    throw new Fault('CONFLICT', `No run waits for escalation ${id} now, which could hold the council.`, {
      hint: 'Leave resolutionMode out and decide it yourself, or try again when its run is WaitingForDecision.',
    });
  core.wake(committed.run);
  return escalationOf(core, id);
}

const waitFor = (waiting: readonly Waiting[], id: number) =>
  waiting.find((one): one is DecisionWait => one.for === 'decision' && one.escalationId === id);

/** The wait that a council shall decide, if any. */
export const councilAsked = (waiting: readonly Waiting[]) =>
  waiting.find((one): one is DecisionWait => one.for === 'decision' && one.council != null && one.decision === null);

/** Holds the requested council. Without consensus the question stays open for a person. */
export async function ruleByCouncil(core: Core, live: LiveRun, wait: DecisionWait): Promise<'go-on'> {
  const escalation = await escalationOf(core, wait.escalationId);
  const council = await holdCouncil(core, runHost(core, live), {
    key: `escalation:${escalation.id}:${escalation.revisionRoundsUsed}`,
    question: questionOf(escalation, wait.council ?? { lean: '', notes: null }),
    rounds,
    participants: panel,
  });
  const outcome = JSON.parse(council.consensusJson ?? '{}') as { decision?: string | null; positions?: string[] };
  if (outcome.decision) await decideBy(core, escalation, outcome.decision, council.id);
  else {
    const positions = outcome.positions?.join(' / ') || null;
    await changeEscalation(core, escalation.id, (now) =>
      positions && !now.supervisorRecommendation ? { supervisorRecommendation: positions } : null,
    );
  }
  await commitOwned(core, live, (run) => ({
    set: { waiting: run.waiting.map((one) => (waitFor([one], escalation.id) ? { ...one, council: null } : one)) },
    events: [
      {
        type: 'EscalationReviewed',
        title: outcome.decision ? `Council: ${outcome.decision}` : 'The council did not agree',
        payload: { escalationId: escalation.id, councilId: council.id },
      },
    ],
  }));
  return 'go-on';
}

async function decideBy(core: Core, { id }: EscalationRecord, decision: string, councilId: number): Promise<void> {
  const notes = `Consensus of council ${councilId}.`;
  await resolve(core, id, { decision, notes, by: 'council', mode: 'Council' }).catch((error) => {
    // A person decided first: that decision stands.
    if (!(error instanceof Fault) || error.code !== 'INVALID_TRANSITION') throw error;
  });
}

function questionOf(
  { situation, optionsJson, supervisorRecommendation }: EscalationRecord,
  asked: CouncilBrief,
): string {
  const parts = [
    situation,
    optionsJson && `Options: ${optionsJson}. Take one of them, in its words.`,
    supervisorRecommendation && `The agent recommends: ${supervisorRecommendation}`,
    asked.lean && `Who asked you leans to: ${asked.lean}`,
    asked.notes,
  ];
  return parts.filter(Boolean).join('\n').slice(0, 12_000);
}

type CouncilBrief = NonNullable<DecisionWait['council']>;
