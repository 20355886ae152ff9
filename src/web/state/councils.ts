// A council as a debate, live: what the server knows of it, and what is being said just now.
import { useState } from 'react';
import type { CouncilStatementDto } from '../../client/index.ts';
import { client } from './app.ts';
import { debateAt, speakerKey, type Words, withDelta } from './debate.ts';
import { useResource } from './resource.ts';
import { type TopicHandlers, useTopic } from './topic.ts';

/** @param until - the moment of a replay, ms since 1970; the present unless given */
export function useDebate(id: number, until?: number) {
  const debate = useResource(`debate ${id}`, () => client.agentCouncils.debate({ params: { id } }));
  const [words, setWords] = useState<Words>({});
  const council = debate.data?.council;
  const isOver = council?.completedAtUtc != null;
  const topic =
    council?.runId != null
      ? `run:${council.runId}`
      : council?.chatSessionId != null
        ? `chat:${council.chatSessionId}`
        : null;
  const isKnown = ({ round, participantName }: CouncilStatementDto) =>
    debate.data?.statements.some((one) => one.round === round && one.participantName === participantName) ?? false;
  const handlers: TopicHandlers = {
    onEvent(event) {
      if (event.type === 'run.delta') setWords((all) => withDelta(all, event.data));
      if (event.type === 'council.updated' && event.data.id === id && event.data.status !== council?.status)
        debate.reload();
      if (event.type !== 'council.statement' || event.data.councilId !== id) return;
      const { participantName } = event.data;
      if (!isKnown(event.data)) debate.reload();
      setWords(({ [speakerKey(id, participantName)]: _, ...others }) => others);
    },
    onSnapshot: (why) => why === 'gap' && debate.reload(),
  };
  // From the beginning: who comes in the middle of a sentence hears all of it.
  useTopic(isOver ? null : topic, handlers, '0');
  const shown = debate.data && (until === undefined ? debate.data : debateAt(debate.data, until));
  return { debate: { ...debate, data: shown }, words: until === undefined && !isOver ? words : {} };
}
