import { expect, it } from 'vitest';
import type { KnownEvent } from '../client/index.ts';
import { createNarrator } from './narrate.ts';
import { createTerminal } from './terminal.ts';

/** What is told of events of run 1 and its descendants, where nobody looks. */
function told(...events: { type: string; data: object }[]): string {
  let shown = '';
  const terminal = createTerminal(
    {
      write: (text) => {
        shown += text;
      },
    },
    { color: false },
  );
  const narrator = createNarrator(terminal, 1);
  for (const event of events) narrator.tell(event as KnownEvent);
  terminal.close();
  return shown;
}

const delta = (toolCallId: string | null, text: string, runId = 1, kind = 'Content') => ({
  type: 'run.delta',
  data: { runId, rootRunId: 1, iteration: 1, index: 0, kind, delta: text, toolCallId, modelId: null },
});

it('members of a council, who speak at the same time, are told one statement after the other', () => {
  const long = 'A sentence of some length. '.repeat(20);
  const event = { runId: 1, level: 'Information', title: 'Ada, round 1', type: 'CouncilStatement', message: long };
  const shown = told(delta(null, 'Let us ask.'), delta('council-1-Ada', 'A sen'), delta('council-1-Bob', 'No, '), {
    type: 'run.event',
    data: event,
  });
  expect(shown).toBe(`Let us ask.\n· Ada, round 1: ${long}\n`);
});

it('words of runs that speak at the same time are told one after the other, and lines between them stay whole', () => {
  const event = (runId: number, title: string) => ({
    type: 'run.event',
    data: { runId, level: 'Information', title, type: 'ProgressUpdated', message: null },
  });
  const shown = told(
    delta(null, 'Now I ', 1),
    delta(null, 'I am o', 2),
    event(3, 'Begun'),
    delta(null, 'wait for ', 1),
    delta(null, 'hm', 2, 'Reasoning'),
    delta(null, 'n my way.\nSoon.', 2),
    event(2, 'Said'),
    delta(null, 'all.', 1),
    event(1, 'Waits'),
    delta(null, 'Next.', 2),
    event(2, 'Done'),
  );
  expect(shown.split('\n')).toEqual([
    ...['[run 3] · Begun', '[run 2] I am on my way.', '[run 2] Soon.', '[run 2] · Said', 'Now I wait for all.'],
    ...['· Waits', '[run 2] Next.', '[run 2] · Done', ''],
  ]);
});
