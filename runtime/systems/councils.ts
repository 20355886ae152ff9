// Councils: participants deliberate on a question in parallel rounds, vote, and leave a consensus or a kept dissent.
import { randomUUID } from 'node:crypto';
import type { ModelMessage } from '../model.ts';
import type { EventDraft } from '../records.ts';
import {
  type CouncilCommand,
  type CouncilRecord,
  moveCouncil,
  type Participant,
  type Statement,
} from '../state/council.ts';
import { emit } from './announce.ts';
import { auxCall } from './aux-call.ts';
import { type Bag, type LiveRun, Stop } from './bag.ts';
import { commitOwned } from './commits.ts';
import { emitCouncil, statementView } from './council-view.ts';
import { modelOf, plainBriefing } from './prompt.ts';

/** Share of the votes that makes a consensus. */
const consensusShare = 2 / 3;
const statementTokens = 700;

export interface CouncilDraft {
  /** The same key gives the same council. */
  key: string;
  question: string;
  rounds: number;
  participants: Participant[];
}

/** Holds a council, or goes on with one that a crash interrupted: what was said is not said again. */
export async function holdCouncil(bag: Bag, live: LiveRun, draft: CouncilDraft): Promise<CouncilRecord> {
  let council = await convene(bag, live, draft);
  if (council.completedAt !== null) return council;
  if (council.participants.length < 2)
    return close(bag, live, council, 'fail', { reason: 'A council needs two participants.' });
  try {
    if (council.status === 'Convening') council = await move(bag, live, council, 'deliberate', {});
    for (let round = 1; round <= council.rounds && council.status === 'Deliberating'; round++) {
      council = await hear(bag, live, council, round);
      const agreed = round > 1 ? unanimous(council, round) : null;
      if (agreed) return close(bag, live, council, 'agree', outcomeOf(council, [agreed], true));
    }
    if (council.status === 'Deliberating') council = await move(bag, live, council, 'vote', {});
    council = await hear(bag, live, council, council.rounds + 1);
    return await conclude(bag, live, council);
  } catch (error) {
    if (error instanceof Stop || live.abort.signal.aborted) throw error;
    return close(bag, live, council, 'fail', { reason: error instanceof Error ? error.message : String(error) });
  }
}

async function convene(bag: Bag, live: LiveRun, draft: CouncilDraft): Promise<CouncilRecord> {
  const known = (await bag.store.councils.ofRun(live.run.id)).find((one) => one.key === draft.key);
  if (known) return known;
  const council = await bag.store.councils.insert({
    id: await bag.ids.next('council'),
    guid: randomUUID(),
    tenantId: live.run.tenantId,
    version: 1,
    key: draft.key,
    runId: live.run.id,
    rootRunId: live.run.rootRunId,
    chatSessionId: null,
    question: draft.question,
    rounds: draft.rounds,
    participants: draft.participants,
    statements: [],
    consensusJson: null,
    status: 'Convening',
    createdAt: bag.clock.now(),
    completedAt: null,
  });
  await note(
    bag,
    live,
    council,
    { type: 'CouncilConvened', title: `Council of ${draft.participants.length}`, message: draft.question },
    true,
  );
  return council;
}

/** One round: everybody speaks at once, knowing what was said before; the round after the last is the vote. */
async function hear(bag: Bag, live: LiveRun, council: CouncilRecord, round: number): Promise<CouncilRecord> {
  const said = (name: string) => council.statements.some((one) => one.round === round && one.participant === name);
  const speaking = council.participants.filter((one) => !said(one.name));
  let newest = council;
  const results = await Promise.allSettled(
    speaking.map(async (participant) => {
      const statement = await speak(bag, live, council, participant, round);
      const updated = await bag.store.councils.update(council.id, (now) => ({
        statements: [...now.statements, statement],
      }));
      if (updated && updated.version > newest.version) newest = updated;
      emitStatement(bag, live, council, participant, statement);
      const type = statement.kind === 'Vote' ? 'CouncilVote' : 'CouncilStatement';
      await note(
        bag,
        live,
        council,
        { type, title: `${participant.name}, round ${round}`, message: statement.content },
        false,
      );
    }),
  );
  const failed = results.find((one) => one.status === 'rejected');
  live.abort.signal.throwIfAborted();
  const heard = newest.statements.filter((one) => one.round === round).length;
  // One silent participant does not end a council; fewer than two voices do.
  if (failed && heard < 2) throw failed.reason;
  return newest;
}

async function speak(
  bag: Bag,
  live: LiveRun,
  council: CouncilRecord,
  participant: Participant,
  round: number,
): Promise<Statement> {
  const voting = round > council.rounds;
  const modelId = participant.modelId ?? modelOf(bag, live.run, live.briefing ?? plainBriefing);
  let index = 0;
  const text = await auxCall(bag, live, {
    modelId,
    messages: promptOf(council, participant, round),
    maxOutputTokens: voting ? 300 : statementTokens,
    purpose: 'Council',
    onText: (delta) =>
      emit(bag, live.run, 'run.delta', {
        runId: live.run.id,
        rootRunId: live.run.rootRunId,
        iteration: live.run.iterationsUsed,
        index: index++,
        kind: 'Content',
        delta,
        toolCallId: `council-${council.id}-${participant.name}`,
        modelId,
      }),
  });
  if (text === null) throw new Error('POOL_EXHAUSTED: the budget of the run or its tree has no room for the council.');
  const kind = voting ? 'Vote' : round === 1 ? 'Opening' : round % 2 === 0 ? 'Rebuttal' : 'Argument';
  return { round, kind, participant: participant.name, content: text, vote: positionOf(text), at: bag.clock.now() };
}

function promptOf(council: CouncilRecord, participant: Participant, round: number): ModelMessage[] {
  const voting = round > council.rounds;
  const before = council.statements
    .filter((one) => one.round < round)
    .map((one) => `${one.participant} (round ${one.round}): ${one.content}`)
    .join('\n\n');
  const task = voting
    ? 'Vote now: one or two sentences why, then a last line "Position: <your choice in a few words>". Use the words of the position you support.'
    : `Round ${round} of ${council.rounds}. Give your view in at most 200 words and answer the others where you disagree. End with a line "Position: <your choice in a few words>".`;
  const others = council.participants.map((one) => one.name).join(', ');
  return [
    {
      role: 'system',
      content: `You are ${participant.name}${participant.role ? `, ${participant.role}` : ''}, in a council of ${others}. Think for yourself; keep a dissent if you are not convinced.`,
    },
    { role: 'user', content: `Question: ${council.question}\n\n${before ? `Said so far:\n${before}\n\n` : ''}${task}` },
  ];
}

/** What a statement stands for: its last `Position:` or `Vote:` line. */
export function positionOf(text: string): string | null {
  const found = [...text.matchAll(/^[\s*_>-]*(?:position|vote)[*_]*\s*:\s*(.+)$/gim)].at(-1)?.[1];
  return found ? found.replace(/[*_`"]+/g, '').trim() || null : null;
}

const normal = (vote: string) =>
  vote
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

function unanimous(council: CouncilRecord, round: number): string | null {
  const votes = council.statements.filter((one) => one.round === round).map((one) => one.vote);
  const first = votes[0];
  const same =
    first && votes.length === council.participants.length && votes.every((one) => one && normal(one) === normal(first));
  return same ? first : null;
}

async function conclude(bag: Bag, live: LiveRun, council: CouncilRecord): Promise<CouncilRecord> {
  const votes = council.statements.filter((one) => one.kind === 'Vote');
  const counts = new Map<string, { vote: string; count: number }>();
  for (const { vote } of votes) {
    if (!vote) continue;
    const entry = counts.get(normal(vote)) ?? { vote, count: 0 };
    counts.set(normal(vote), { ...entry, count: entry.count + 1 });
  }
  const best = [...counts.values()].sort((a, b) => b.count - a.count);
  const top = best[0];
  const reached = top !== undefined && top.count / council.participants.length >= consensusShare;
  const leaders = reached ? [top.vote] : best.map((one) => one.vote);
  return close(bag, live, council, reached ? 'agree' : 'split', outcomeOf(council, leaders, reached));
}

/** The outcome as it is kept: the decision, every vote and what the minority said. */
function outcomeOf(council: CouncilRecord, leaders: string[], reached: boolean) {
  const lastRound = Math.max(...council.statements.map((one) => one.round));
  const votes = council.statements.filter((one) => one.round === lastRound);
  const decision = reached ? leaders[0]! : null;
  const dissent = votes.filter(
    (one) => decision === null || one.vote === null || normal(one.vote) !== normal(decision),
  );
  return {
    decision,
    positions: leaders,
    votes: votes.map(({ participant, vote }) => ({ participant, vote })),
    dissent: dissent.map(({ participant, vote, content }) => ({ participant, vote, reason: content })),
  };
}

async function close(
  bag: Bag,
  live: LiveRun,
  council: CouncilRecord,
  command: CouncilCommand,
  outcome: object,
): Promise<CouncilRecord> {
  const closed = await move(bag, live, council, command, {
    consensusJson: JSON.stringify(outcome),
    completedAt: bag.clock.now(),
  });
  await note(bag, live, closed, { type: 'CouncilConcluded', title: closed.status, payload: outcome }, false);
  return closed;
}

async function move(
  bag: Bag,
  live: LiveRun,
  council: CouncilRecord,
  command: CouncilCommand,
  set: Partial<CouncilRecord>,
): Promise<CouncilRecord> {
  const moved = await bag.store.councils.update(council.id, (now) => {
    const status = moveCouncil(now.status, command);
    return status && { ...set, status };
  });
  const newest = moved ?? (await bag.store.councils.get(council.id)) ?? council;
  emitCouncil(bag, newest);
  if (newest.status === 'Cancelled') throw new Stop('cancel');
  live.abort.signal.throwIfAborted();
  return newest;
}

const note = (bag: Bag, live: LiveRun, council: CouncilRecord, event: EventDraft, first: boolean) =>
  commitOwned(bag, live, () => ({
    ...(first ? { set: { escalated: true } } : {}),
    events: [{ payload: { councilId: council.id }, ...event }],
  }));

function emitStatement(
  bag: Bag,
  live: LiveRun,
  council: CouncilRecord,
  participant: Participant,
  statement: Statement,
): void {
  emit(bag, live.run, 'council.statement', statementView(council, participant, statement), {
    topics: ['escalations', `run:${council.runId}`],
    durable: true,
    key: `council.statement:${council.id}:${statement.round}:${participant.name}`,
  });
}
