import { expect, it } from 'vitest';
import type { KnownEvent } from '../client/index.ts';
import { createNarrator } from './narrate.ts';
import type { Terminal } from './terminal.ts';

/** What is told of events of run 1, and of its descendants. */
function told(...events: { type: string; data: object }[]): string {
  let shown = '';
  const terminal = {
    color: false,
    columns: 80,
    line: (text: string) => {
      shown += `${text}\n`;
    },
    stream: (text: string) => {
      shown += text;
    },
    endStream: () => {},
  } as unknown as Terminal;
  const narrator = createNarrator(terminal, 1);
  for (const event of events) narrator.tell(event as KnownEvent);
  return shown;
}

const delta = (toolCallId: string | null, text: string) => ({
  type: 'run.delta',
  data: { runId: 1, rootRunId: 1, iteration: 1, index: 0, kind: 'Content', delta: text, toolCallId, modelId: null },
});

it('members of a council, who speak at the same time, are told one statement after the other', () => {
  const long = 'A sentence of some length. '.repeat(20);
  const event = { runId: 1, level: 'Information', title: 'Ada, round 1', type: 'CouncilStatement', message: long };
  const shown = told(delta(null, 'Let us ask.'), delta('council-1-Ada', 'A sen'), delta('council-1-Bob', 'No, '), {
    type: 'run.event',
    data: event,
  });
  expect(shown).toBe(`Let us ask.· Ada, round 1: ${long}\n`);
});
