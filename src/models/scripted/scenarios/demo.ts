// The run that a new server shows: plans, spawns two children, uses the sandbox, asks a person, and reports.
import type { ScenarioInput } from '../scenario.ts';

const report = `Here is what this run has shown you.

First it wrote a plan, so that everybody who watches knows what comes next. Then it split the work: one child read up on resumable streams, the other worked out some numbers. Both ran at the same time, each with its own budget inside the pool of the tree.

While they worked, the log of every run went to whoever was watching. If you closed this page and came back, you missed nothing: the server replayed what you had not seen and then went on live.

Then the run stopped and asked a person. It waited durably, without a process being busy, and went on with exactly the step that was waiting.

None of this was written by a language model. Set OPENAI_API_KEY, ANTHROPIC_API_KEY, GOOGLE_GENERATIVE_AI_API_KEY or OPENAI_BASE_URL and start a run of your own.`;

export const demo: ScenarioInput = {
  description: 'Shows what a run can do. Turns whose tools are not offered are left out.',
  chunkSize: 6,
  chunkDelayMs: 20,
  delayMs: 300,
  turns: [
    {
      reasoning: 'This is a scripted demonstration. I begin with a plan, so that it can be followed.',
      text: 'Hello! I am the scripted demo: what I say was written beforehand, what I do is real. I start with a plan.',
      toolCalls: [
        {
          name: 'run_plan',
          arguments: {
            steps: [
              'Split the work between two children',
              'Try out the sandbox',
              'Wait for the children and note what they found',
              'Ask a person how to go on',
              'Report',
            ],
          },
        },
      ],
    },
    {
      text: 'Two children take a part each and work at the same time.',
      toolCalls: [
        {
          name: 'run_spawn',
          arguments: {
            goal: 'Find out what makes a stream resumable.',
            modelId: 'scripted:demo-child-reading{{pace}}',
            maxIterations: 6,
          },
        },
        {
          name: 'run_spawn',
          arguments: {
            goal: 'Count ten events and check that none is missing.',
            modelId: 'scripted:demo-child-numbers{{pace}}',
            maxIterations: 6,
          },
        },
      ],
    },
    {
      text: 'Meanwhile I look around in the sandbox.',
      toolCalls: [
        {
          name: 'shell_exec',
          arguments: {
            command:
              'echo "Hello from the sandbox"; uname -srm; for step in 1 2 3 4 5; do printf "\\033[32mstep %s of 5\\033[0m\\n" $step; sleep 0.3; done; ls -la',
          },
        },
      ],
    },
    {
      text: 'I leave a file in the workspace; it can be reviewed like any other change.',
      toolCalls: [
        {
          name: 'file_write',
          arguments: {
            path: 'demo/report.md',
            content: '# Demo report\n\nWritten by the scripted demo run. Review it, keep it, or throw it away.\n',
          },
        },
      ],
    },
    {
      reasoning: 'Nothing more to do until both children are back.',
      text: 'Now I wait for both children.',
      toolCalls: [{ name: 'run_join', arguments: { mode: 'all' } }],
      needs: ['run_spawn'],
    },
    {
      text: 'Both are back. I note what they found.',
      toolCalls: [
        {
          name: 'run_note',
          arguments: {
            type: 'Summary',
            content:
              'The children reported:\n\n- {{tool.run_join.children.0.summary}}\n- {{tool.run_join.children.1.summary}}',
          },
        },
      ],
      needs: ['run_spawn', 'run_join'],
    },
    {
      text: 'I keep a note with the run.',
      toolCalls: [
        { name: 'run_note', arguments: { type: 'Observation', content: 'The demo works without children, too.' } },
      ],
      unless: ['run_spawn'],
    },
    {
      text: 'Before I report I ask a person. The run waits until somebody answers, also across a restart.',
      toolCalls: [
        {
          name: 'run_escalate',
          arguments: {
            situation: 'The demo is nearly done. Shall I write the report?',
            options: ['Write the report', 'Write it, but keep it short'],
            recommendation: 'Write the report',
            confidence: 0.9,
            urgency: 'Low',
            timeoutSeconds: 600,
          },
        },
      ],
    },
    {
      text: report,
      toolCalls: [
        {
          name: 'run_complete',
          arguments: {
            summary:
              'The scripted demo is through: a plan, two children, the sandbox, a question to a person, and a report. No language model was asked.',
          },
        },
      ],
    },
  ],
};
