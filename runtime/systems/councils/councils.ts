// Councils: participants deliberate on a question in parallel rounds, vote, and leave a consensus or a kept dissent.
import { randomUUID } from 'node:crypto';
import type { ModelMessage } from '../../model.ts';
import type { Work } from '../../ports.ts';
import type { EventDraft } from '../../records.ts';
import {
  type CouncilCommand,
  type CouncilRecord,
  councilMove,
  lastRoundOf,
  type Participant,
  positionKey,
  type Statement,
  tallyOf,
  votesNeeded,
} from '../../state/council.ts';
import { statementView } from '../../views/council.ts';
import { type Core, Stop } from '../records/core.ts';
import { cancelCouncil, emitCouncil, emitStatement } from '../records/council-records.ts';
import { shownModel } from '../turn/prompt.ts';
import { type ChatPlace, type CouncilHost, chatHost } from './hosts.ts';

const statementTokens = 700;

export interface CouncilDraft {
  /** Idempotency key: the same key gives the same council. */
  key: string;
  question: string;
  rounds: number;
  participants: Participant[];
}

/** Throws a Fault unless the run or chat may act as each participant's identity. */
export async function requireSpeakers(core: Core, work: Work, participants: readonly Participant[]): Promise<void> {
  for (const { identityId } of participants)
    if (identityId !== null) await core.staffing?.requireActing(work, identityId);
}

/** Holds a council for a chat; one that is stopped in the middle is cancelled. */
export async function deliberate(core: Core, place: ChatPlace, draft: CouncilDraft): Promise<CouncilRecord> {
  await requireSpeakers(core, { ...place, startedByUserId: place.userId }, draft.participants);
  const host = chatHost(core, place);
  try {
    return await holdCouncil(core, host, draft);
  } catch (error) {
    const open = (await host.earlier()).find((one) => one.key === draft.key && one.completedAt === null);
    if (open) await cancelCouncil(core, open);
    throw error;
  }
}

/** Cancels the councils of a chat whose reply was lost with its server: a continued reply convenes new ones. */
export async function abandonCouncils(core: Core, chatSessionId: number): Promise<void> {
  const consensusJson = JSON.stringify({ reason: 'The server that held the council was lost.' });
  for (const { id, completedAt } of await core.store.councils.ofChat(chatSessionId)) {
    if (completedAt !== null) continue;
    const ended = await core.store.councils.update(id, (now) => {
      const move = councilMove(now, 'fail', core.clock.now());
      return move && { ...move, consensusJson, completedAt: core.clock.now() };
    });
    if (ended) emitCouncil(core, ended);
  }
}

/** Holds a council, or continues one that a crash interrupted; stored statements are not made again. */
export async function holdCouncil(core: Core, host: CouncilHost, draft: CouncilDraft): Promise<CouncilRecord> {
  let council = await convene(core, host, draft);
  if (council.completedAt !== null) return council;
  if (council.participants.length < 2)
    return close(core, host, council, 'fail', { reason: 'A council needs two participants.' });
  try {
    if (council.status === 'Convening') council = await move(core, host, council, 'deliberate', {});
    for (let round = 1; round <= council.rounds && council.status === 'Deliberating'; round++) {
      council = await hear(core, host, council, round);
      const agreed = round > 1 ? unanimous(council, round) : null;
      if (agreed) return close(core, host, council, 'agree', outcomeOf(council, [agreed], true));
    }
    if (council.status === 'Deliberating') council = await move(core, host, council, 'vote', {});
    council = await hear(core, host, council, council.rounds + 1);
    return await conclude(core, host, council);
  } catch (error) {
    if (error instanceof Stop || host.signal.aborted) throw error;
    return close(core, host, council, 'fail', { reason: error instanceof Error ? error.message : String(error) });
  }
}

async function convene(core: Core, host: CouncilHost, draft: CouncilDraft): Promise<CouncilRecord> {
  const known = (await host.earlier()).find((one) => one.key === draft.key);
  if (known) return known;
  const createdAt = core.clock.now();
  const council = await core.store.councils.insert({
    id: await core.ids.next('council'),
    guid: randomUUID(),
    ...host.place,
    version: 1,
    key: draft.key,
    question: draft.question,
    rounds: draft.rounds,
    participants: draft.participants,
    statements: [],
    silences: [],
    phases: [{ status: 'Convening', at: createdAt }],
    consensusJson: null,
    status: 'Convening',
    createdAt,
    completedAt: null,
  });
  const title = `Council of ${draft.participants.length}`;
  await note(host, council, { type: 'CouncilConvened', title, message: draft.question });
  return council;
}

/** One round: all participants speak at once and know the rounds before; the round after the last is the vote. */
async function hear(core: Core, host: CouncilHost, council: CouncilRecord, round: number): Promise<CouncilRecord> {
  const said = (name: string) => council.statements.some((one) => one.round === round && one.participant === name);
  const speaking = council.participants.filter((one) => !said(one.name));
  let newest = council;
  const before = saidBefore(council, round);
  const spoken: Statement[] = [];
  // Each write carries all statements so far: statements made during a write share the next one.
  const keep = (statement: Statement) => {
    spoken.push(statement);
    return core.serial(`council:${council.id}`, async () => {
      const fresh = spoken.splice(0);
      if (fresh.length === 0) return;
      const updated = await core.store.councils.update(council.id, (now) =>
        now.completedAt === null ? { statements: [...now.statements, ...fresh] } : null,
      );
      if (!updated) throw new Stop('cancel');
      newest = updated;
    });
  };
  const results = await Promise.allSettled(
    speaking.map(async (participant) => {
      const statement = await speak(core, host, council, { participant, round, before });
      await keep(statement);
      emitStatement(core, council, participant, statement);
      const type = statement.kind === 'Vote' ? 'CouncilVote' : 'CouncilStatement';
      const title = `${participant.name}, round ${round}`;
      const { content, ...payload } = statementView(council, participant, statement);
      await note(host, council, { type, title, message: content, payload });
    }),
  );
  const failed = results.find((one) => one.status === 'rejected');
  host.signal.throwIfAborted();
  if (failed?.reason instanceof Stop) throw failed.reason;
  const heard = newest.statements.filter((one) => one.round === round).length;
  // One silent participant does not end a council; fewer than two voices do.
  if (failed && heard < 2) throw failed.reason;
  return failed ? keepSilences(core, newest, round, results.map(reasonOf), speaking) : newest;
}

const reasonOf = (result: PromiseSettledResult<unknown>): string | null =>
  result.status === 'fulfilled' ? null : result.reason instanceof Error ? result.reason.message : String(result.reason);

/** Notes who was asked in a round and said nothing, and why, so that nobody takes the gap for agreement. */
async function keepSilences(
  core: Core,
  council: CouncilRecord,
  round: number,
  reasons: readonly (string | null)[],
  asked: readonly Participant[],
): Promise<CouncilRecord> {
  const at = core.clock.now();
  const fresh = asked.flatMap(({ name: participant }, index) => {
    const reason = reasons[index];
    return reason == null ? [] : [{ round, participant, reason, at }];
  });
  const updated = await core.store.councils.update(council.id, (now) => {
    // Who spoke after all, or was noted before a crash, is not noted again.
    const known = [...now.statements, ...(now.silences ?? [])].filter((one) => one.round === round);
    const missing = fresh.filter(({ participant }) => !known.some((one) => one.participant === participant));
    return now.completedAt === null ? { silences: [...(now.silences ?? []), ...missing] } : null;
  });
  return updated ?? council;
}

interface Turn {
  participant: Participant;
  round: number;
  /** Text of the rounds before. */
  before: string;
}

async function speak(core: Core, host: CouncilHost, council: CouncilRecord, turn: Turn): Promise<Statement> {
  const { participant, round } = turn;
  const voting = round > council.rounds;
  const modelId = participant.modelId ?? host.modelId;
  const shown = shownModel(core, modelId);
  const speaker = `council-${council.id}-${participant.name}`;
  let index = 0;
  const text = await host.ask({
    modelId,
    messages: promptOf(council, turn),
    maxOutputTokens: voting ? 300 : statementTokens,
    ...(participant.role === null ? {} : { role: participant.role }),
    ...(participant.identityId === null ? {} : { identityId: participant.identityId }),
    onText: (delta) => host.hear({ index: index++, delta, speaker, modelId: shown }),
  });
  if (text === null) throw new Error('POOL_EXHAUSTED: the budget has no room for the council.');
  const kind = voting ? 'Vote' : round === 1 ? 'Opening' : round % 2 === 0 ? 'Rebuttal' : 'Argument';
  return { round, kind, participant: participant.name, content: text, vote: positionOf(text), at: core.clock.now() };
}

/**
 * What a round's prompts contain of earlier rounds: the last one in full, of the others each participant's position.
 * Prompts then do not grow with the square of the rounds.
 */
function saidBefore({ statements }: CouncilRecord, round: number): string {
  return statements
    .filter((one) => one.round < round)
    .map(({ participant, round: at, content, vote }) => {
      const isFresh = at === round - 1;
      return `${participant} (round ${at}): ${isFresh || vote === null ? shortened(content, isFresh) : vote}`;
    })
    .join('\n\n');
}

/** Limit in characters of an early statement that states no position. */
const recalledChars = 200;
const shortened = (content: string, isFresh: boolean) => (isFresh ? content : content.slice(0, recalledChars));

function promptOf(council: CouncilRecord, { participant, round, before }: Turn): ModelMessage[] {
  const voting = round > council.rounds;
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

/** Position of a statement: the text of its last `Position:` or `Vote:` line. */
export function positionOf(text: string): string | null {
  const found = [...text.matchAll(/^[ \t*_>-]*(?:position|vote)[*_]*\s*:\s*(.+)$/gim)].at(-1)?.[1];
  return found ? found.replace(/[*_`"]+/g, '').trim() || null : null;
}

function unanimous(council: CouncilRecord, round: number): string | null {
  const votes = council.statements.filter((one) => one.round === round).map((one) => one.vote);
  const first = votes[0];
  const same =
    first &&
    votes.length === council.participants.length &&
    votes.every((one) => one && positionKey(one) === positionKey(first));
  return same ? first : null;
}

async function conclude(core: Core, host: CouncilHost, council: CouncilRecord): Promise<CouncilRecord> {
  const tally = tallyOf(council);
  const top = tally[0];
  const reached = top !== undefined && top.participants.length >= votesNeeded(council.participants.length);
  const leaders = reached ? [top.position] : tally.map((one) => one.position);
  return close(core, host, council, reached ? 'agree' : 'split', outcomeOf(council, leaders, reached));
}

/** Stored outcome: the decision, every vote, how many were for what, and the minority's reasons. */
function outcomeOf(council: CouncilRecord, leaders: string[], reached: boolean) {
  const votes = lastRoundOf(council.statements);
  const decision = reached ? leaders[0]! : null;
  const dissent = votes.filter(
    (one) => decision === null || one.vote === null || positionKey(one.vote) !== positionKey(decision),
  );
  return {
    decision,
    positions: leaders,
    votes: votes.map(({ participant, vote }) => ({ participant, vote })),
    tally: tallyOf(council).map(({ position, participants }) => ({ position, votes: participants.length })),
    dissent: dissent.map(({ participant, vote, content }) => ({ participant, vote, reason: content })),
  };
}

async function close(
  core: Core,
  host: CouncilHost,
  council: CouncilRecord,
  command: CouncilCommand,
  outcome: object,
): Promise<CouncilRecord> {
  const closed = await move(core, host, council, command, {
    consensusJson: JSON.stringify(outcome),
    completedAt: core.clock.now(),
  });
  await note(host, closed, { type: 'CouncilConcluded', title: closed.status, payload: outcome });
  return closed;
}

async function move(
  core: Core,
  host: CouncilHost,
  council: CouncilRecord,
  command: CouncilCommand,
  set: Partial<CouncilRecord>,
): Promise<CouncilRecord> {
  const moved = await core.store.councils.update(council.id, (now) => {
    const move = councilMove(now, command, core.clock.now());
    return move && { ...set, ...move };
  });
  const newest = moved ?? (await core.store.councils.get(council.id)) ?? council;
  // Another writer has ended the council meanwhile and published that.
  if (!moved && newest.completedAt !== null) throw new Stop('cancel');
  emitCouncil(core, newest);
  host.signal.throwIfAborted();
  return newest;
}

const note = (host: CouncilHost, council: CouncilRecord, event: EventDraft) =>
  host.note({ ...event, payload: { councilId: council.id, ...(event.payload as object | undefined) } });
