// The councils of a run, live: what each participant has said, what it is saying, and what came of it.
import { useState } from 'react';
import type { AgentCouncilDto, CouncilStatementDto, RunDeltaDto } from '../../client/index.ts';
import { payloadOf } from '../river/track.ts';
import { client } from './app.ts';
import { useResource } from './resource.ts';
import { useTopic } from './topic.ts';

/** Statements that were made before the page looked, from the run's events. */
async function pastStatements(runId: number): Promise<CouncilStatementDto[]> {
  const types = ['CouncilStatement', 'CouncilVote'] as const;
  const events = await client.agentRuns.events({ params: { runId }, query: { types: [...types], limit: 1000 } });
  return events.flatMap((event) => {
    const payload = payloadOf(event) as Partial<CouncilStatementDto>;
    const { councilId, participantName, round = 1, kind = 'Argument', identityId = null, vote = null } = payload;
    if (councilId === undefined || participantName === undefined) return [];
    const { modelId, message, createdAtUtc: atUtc } = event;
    return [
      { councilId, runId, round, kind, participantName, identityId, modelId, content: message ?? '', vote, atUtc },
    ];
  });
}

export const statementKey = (one: CouncilStatementDto) =>
  `${one.councilId} ${one.round} ${one.kind} ${one.participantName}`;

/** Names whose words come: `toolCallId` of a delta. */
export const speakerKey = (councilId: number, name: string) => `council-${councilId}-${name}`;

/** Words that were not heard to their end yet, by speaker. */
type Words = Readonly<Record<string, string>>;

const withDelta = (words: Words, { toolCallId, delta }: RunDeltaDto): Words =>
  toolCallId?.startsWith('council-') ? { ...words, [toolCallId]: (words[toolCallId] ?? '') + delta } : words;

/** @param until - the moment of a replay, ms since 1970; the present unless given */
export function useCouncils(runId: number, until?: number) {
  const councils = useResource(`councils ${runId}`, () => client.agentCouncils.list({ params: { runId } }));
  const past = useResource(`statements ${runId}`, () => pastStatements(runId));
  const [fresh, setFresh] = useState<CouncilStatementDto[]>([]);
  const [words, setWords] = useState<Words>({});
  useTopic(`run:${runId}`, {
    onEvent(event) {
      if (event.type === 'council.updated') councils.reload();
      if (event.type === 'run.delta') setWords((all) => withDelta(all, event.data));
      if (event.type !== 'council.statement') return;
      const { councilId, participantName } = event.data;
      setFresh((all) => [...all, event.data]);
      setWords(({ [speakerKey(councilId, participantName)]: _, ...others }) => others);
    },
    onSnapshot: () => past.reload(),
  });
  const statements = [...new Map([...(past.data ?? []), ...fresh].map((one) => [statementKey(one), one])).values()];
  if (until === undefined) return { councils, statements, words };
  const data = councils.data && {
    ...councils.data,
    items: councils.data.items.flatMap((one) => councilAt(one, until)),
  };
  const said = statements.filter(({ atUtc }) => Date.parse(atUtc) <= until);
  return { councils: { ...councils, data }, statements: said, words: {} };
}

/** A council as it stood at a moment: none before it was convened, and without its outcome before its end. */
export function councilAt(council: AgentCouncilDto, at: number): AgentCouncilDto[] {
  if (Date.parse(council.createdAtUtc) > at) return [];
  const { completedAtUtc } = council;
  if (completedAtUtc !== null && Date.parse(completedAtUtc) <= at) return [council];
  return [{ ...council, status: 'Deliberating', consensusJson: null, completedAtUtc: null }];
}

export interface CouncilOutcome {
  decision: string | null;
  reason: string | null;
  votes: { participant: string; vote: string }[];
  dissent: { participant: string; vote: string | null; reason: string }[];
}

/** What came of a council; null while nothing has. */
export function outcomeOf({ consensusJson }: AgentCouncilDto): CouncilOutcome | null {
  if (consensusJson === null) return null;
  const known = payloadOf({ payloadJson: consensusJson }) as Partial<CouncilOutcome>;
  return {
    decision: known.decision ?? null,
    reason: known.reason ?? null,
    votes: known.votes ?? [],
    dissent: known.dissent ?? [],
  };
}

export interface CouncilMember {
  name: string;
  role: string | null;
}

/** Who takes part, in order. */
export function membersOf({ participantsJson }: AgentCouncilDto): CouncilMember[] {
  const { value } = payloadOf({ payloadJson: participantsJson });
  return Array.isArray(value) ? (value as CouncilMember[]) : [];
}
