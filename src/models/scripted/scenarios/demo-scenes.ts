// The scenes of the demo: each shows one thing that runs do. `{{pace}}` carries a run's speed on to its children.
import type { ScenarioInput } from '../scenario.ts';

type TurnInput = ScenarioInput['turns'][number];

const pace = { chunkSize: 6, chunkDelayMs: 20, delayMs: 300 } as const;
const scene = (
  description: string,
  turns: ScenarioInput['turns'],
  more: Partial<ScenarioInput> = {},
): ScenarioInput => ({
  description,
  ...pace,
  turns,
  ...more,
});
const says = (text: string, name: string, args: Record<string, unknown> = {}): TurnInput => ({
  text,
  toolCalls: [{ name, arguments: args }],
});
const note = (text: string, content: string) => says(text, 'run_note', { type: 'Finding', content });
const ends = (text: string, summary: string) => says(text, 'run_complete', { summary: `${summary} (Scripted demo.)` });
const child = (goal: string, scenario: string) => ({
  name: 'run_spawn',
  arguments: { goal, modelId: `scripted:${scenario}{{pace}}`, maxIterations: 8 },
});

/** What each member of the council says: for two rounds alike, since nothing changes their mind. */
const voice = (name: string, text: string, position: string): ScenarioInput =>
  scene(`${name} in the council of the demo.`, [{ text: `${text}\nPosition: ${position}` }], { notice: false });

export const demoScenes: Record<string, ScenarioInput> = {
  'demo-single': scene('One run from its plan to its deliverable.', [
    says('I plan first, so that everybody sees what comes.', 'run_plan', {
      steps: ['Read the question', 'Note what matters', 'Answer'],
    }),
    says('The question is clear.', 'run_progress', { summary: 'Read the question; two facts matter.' }),
    note('This is worth keeping.', 'A cursor of epoch and sequence number resumes a stream without a gap.'),
    ends('That is all it takes.', 'One run: a plan, a note and an answer.'),
  ]),

  'demo-tree': scene('Spawns three children, one of which spawns two of its own, and joins them.', [
    says('I split this into three parts.', 'run_plan', {
      steps: ['Spawn three children', 'Wait for all of them', 'Put together what they found'],
    }),
    {
      text: 'Three children work at the same time.',
      toolCalls: [
        child('Survey the north bank, and have both ends looked at.', 'demo-tree-branch'),
        child('Survey the south bank.', 'demo-tree-leaf'),
        child('Survey the island.', 'demo-tree-leaf'),
      ],
    },
    { ...says('Now I wait for all of them.', 'run_join', { mode: 'all' }), needs: ['run_spawn'] },
    ends('All are back.', 'A tree of six runs surveyed the river; each child reported within the pool of its tree.'),
  ]),
  'demo-tree-branch': scene('A child that spawns children of its own.', [
    {
      text: 'Two ends, two children.',
      toolCalls: [
        child('Look at the upper end of the bank.', 'demo-tree-leaf'),
        child('Look at the lower end of the bank.', 'demo-tree-leaf'),
      ],
    },
    { ...says('I wait for both.', 'run_join', { mode: 'all' }), needs: ['run_spawn'] },
    ends('Both are back.', 'Both ends of the bank were looked at.'),
  ]),
  'demo-tree-leaf': scene('A child that looks and reports.', [
    says('I am on my way.', 'run_progress', { summary: 'Looking around.' }),
    note('I see enough.', 'The bank is dry and the path is clear.'),
    ends('Done.', 'The place was looked at: nothing stands in the way.'),
  ]),

  'demo-escalation': scene('Asks a person and goes on as they say.', [
    says('I have two ways to go on, and neither can be undone.', 'run_progress', { summary: 'Two ways are open.' }),
    says('A person should choose. I wait, also across a restart.', 'run_escalate', {
      situation: 'The old index can be rebuilt tonight, or replaced by a new one now. Which shall it be?',
      options: ['Rebuild it tonight', 'Replace it now'],
      recommendation: 'Rebuild it tonight',
      confidence: 0.6,
      urgency: 'Normal',
      timeoutSeconds: 3600,
    }),
    says('That is clear.', 'run_note', { type: 'Decision', content: 'What was decided: {{tool.run_escalate}}' }),
    ends('I go on as decided.', 'A person has decided, and the run went on with exactly that step.'),
  ]),

  'demo-council': scene('Has three participants deliberate and vote.', [
    says('I would rather not decide this alone.', 'run_progress', { summary: 'A council is to decide.' }),
    says('Three of us deliberate.', 'council_convene', {
      question: 'Shall the release go out on Friday, or on Monday?',
      rounds: 2,
      participants: ['builder', 'operator', 'sceptic'].map((name) => ({
        name,
        role: `the ${name} of the team`,
        modelId: `scripted:demo-council-${name}{{pace}}`,
      })),
    }),
    says('The council has spoken.', 'run_note', { type: 'Decision', content: '{{tool.council_convene}}' }),
    ends('So be it.', 'A council of three has voted; the dissent is on record.'),
  ]),
  'demo-council-builder': voice('The builder', 'It is ready, but nobody is there to help at the weekend.', 'Monday'),
  'demo-council-operator': voice('The operator', 'I am on call on Monday, with everybody at hand.', 'Monday'),
  'demo-council-sceptic': voice('The sceptic', 'Those who wait for it were promised Friday.', 'Friday'),

  'demo-endless': scene(
    'Never comes to an end, so that its budget does.',
    [
      says('There is always one more thing to look at.', 'run_progress', { summary: 'Looking at thing {{turn}}.' }),
      note('And another.', 'Thing {{turn}} was looked at; there are more.'),
    ],
    { afterEnd: 'loop' },
  ),

  'demo-down': scene('A provider that is down: every call fails.', [
    { error: { status: 503, message: 'The demo provider is down on purpose.' } },
  ]),
  'demo-stand-in': scene('Answers where another provider is down.', [
    says('The provider that I was meant for is down; I answer in its place.', 'run_note', {
      type: 'Observation',
      content: 'The first provider answered with 503. The next target of the route took over.',
    }),
    ends('Nobody had to wait.', 'One provider was down, another has answered: the run did not notice.'),
  ]),

  'demo-wake': scene('What a routine wakes up for.', [
    says('I was woken by a routine, and look at what has changed since.', 'run_progress', { summary: 'Comparing.' }),
    note('One thing is new.', 'Since the last time one more place was surveyed.'),
    ends('That is my report.', 'One thing is new since the last wake.'),
  ]),

  'demo-talk': scene('Talks about a run that rests.', [
    {
      text: 'I had planned my work and was about to note what matters. You have paused me, so nothing is lost and nothing goes on. Resume the run, and I go on with exactly the step that comes next.',
    },
  ]),
};
