// The two children that the demo run spawns.
import type { ScenarioInput } from '../scenario.ts';

export const demoChildReading: ScenarioInput = {
  description: 'A child of the demo: reads up on streams and reports.',
  chunkSize: 6,
  chunkDelayMs: 20,
  delayMs: 250,
  turns: [
    {
      reasoning: 'My part is the reading. I say where I am, note what I find, and hand back a summary.',
      text: 'I start with what makes a stream resumable.',
      toolCalls: [{ name: 'run_progress', arguments: { summary: 'Reading about cursors, epochs and replay.' } }],
    },
    {
      text: 'The idea that matters is the cursor: a viewer says what it has, the server sends what is missing.',
      toolCalls: [
        {
          name: 'run_note',
          arguments: {
            type: 'Finding',
            content: 'A cursor of epoch and sequence number is enough to resume without a gap and without a repeat.',
          },
        },
      ],
    },
    {
      text: 'That is all my part needs.',
      toolCalls: [
        {
          name: 'run_complete',
          arguments: {
            summary: 'Streams resume by cursor: replay what is missing from the log, then go on live. (Scripted demo.)',
          },
        },
      ],
    },
    { text: 'Streams resume by cursor: replay what is missing from the log, then go on live.' },
  ],
};

export const demoChildNumbers: ScenarioInput = {
  description: 'A child of the demo: works out some numbers, in the sandbox where there is one.',
  chunkSize: 6,
  chunkDelayMs: 20,
  delayMs: 400,
  turns: [
    {
      reasoning: 'My part is the numbers. The sandbox can do the sum.',
      text: 'I let the sandbox count.',
      toolCalls: [
        {
          name: 'shell_exec',
          arguments: {
            command:
              'total=0; for n in 1 2 3 4 5 6 7 8 9 10; do total=$((total + n)); echo "after $n: $total"; sleep 0.1; done',
          },
        },
      ],
    },
    {
      text: 'I keep the figure with the run.',
      toolCalls: [
        {
          name: 'run_note',
          arguments: { type: 'Finding', content: 'Ten events, numbered one to ten, add up to 55: none is missing.' },
        },
      ],
    },
    {
      text: 'The count is right.',
      toolCalls: [
        {
          name: 'run_complete',
          arguments: { summary: 'Ten events were counted and none is missing. (Scripted demo.)' },
        },
      ],
    },
    { text: 'Ten events were counted and none is missing.' },
  ],
};
