// Forks whose state is edited before they go on, on the whole server: what their model is sent, word for word.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStage, type Stage } from '../support/stage.ts';

let stage: Stage;
let origin: number;
beforeAll(async () => {
  stage = await openStage();
  const note = (content: string) => ({
    calls: [['run_note', { content }]] as [string, object][],
    text: [`I keep ${content}.`],
  });
  stage.cast({
    weather: [note('rain'), note('wind'), note('fog'), { text: ['It rains.'] }],
    sky: [{ text: ['not said'] }, { text: ['early'] }, { text: ['It shines.'] }, { text: ['late'] }],
  });
  const run = await stage.start('Weather of today');
  await stage.end(run.id);
  origin = run.id;
});
afterAll(() => stage.close());

const api = () => stage.server.client.agentRuns;
const sent = (goal: string) => stage.model.requests.filter(({ body }) => body.messages[1].content === goal);
const state = (turn?: number) => api().state({ params: { id: origin }, query: turn === undefined ? {} : { turn } });

describe('a fork with edits', () => {
  it('goes on after any turn with the edited messages, and the run that it comes from stays', async () => {
    const before = await Promise.all([state(), stage.log(origin)]);
    const after = await state(2);
    expect(after).toMatchObject({ turn: 2, goal: 'Weather of today', summary: null, checkpointId: null });
    expect(after.messages.map(({ role, turn }) => [role, turn])).toEqual([
      ['assistant', 1],
      ['tool', 1],
      ['assistant', 2],
      ['tool', 2],
    ]);
    const [said, result] = after.messages;
    const messages = [
      { index: said!.index, text: 'I keep sun.' },
      { index: result!.index, text: 'Sun kept.' },
    ];
    const argumentsJson = '{"content":"sun"}';
    const calls = [{ index: said!.index, callId: said!.toolCalls[0]!.id, argumentsJson }];
    const body = { turn: 2, goal: 'Sky of today', message: 'Be brief.', edits: { messages, calls }, autoStart: true };
    const fork = await api().fork({ params: { id: origin }, body });
    expect((await stage.end(fork.id)).progressSummary).toBe('It shines.');
    const [request] = sent('Sky of today');
    expect(request!.body.messages.slice(1)).toEqual([
      { role: 'user', content: 'Sky of today' },
      expect.objectContaining({
        ...{ role: 'assistant', content: 'I keep sun.' },
        tool_calls: [expect.objectContaining({ function: { name: 'run_note', arguments: argumentsJson } })],
      }),
      expect.objectContaining({ role: 'tool', tool_call_id: 'call_0_0', content: 'Sun kept.' }),
      expect.objectContaining({ role: 'assistant', content: 'I keep wind.' }),
      expect.objectContaining({ role: 'tool', tool_call_id: 'call_1_0', content: 'Note kept.' }),
      { role: 'user', content: '[Guidance] Be brief.' },
    ]);
    expect(JSON.stringify(request!.body)).not.toContain('rain');
    expect(await Promise.all([state(), stage.log(origin)])).toEqual(before);
    const [created, edited] = await api().events({ params: { runId: fork.id }, query: {} });
    expect(JSON.parse(created!.payloadJson!)).toMatchObject({
      forkedFrom: { runId: origin, turn: 2, at: expect.any(String) },
      edited: {
        by: expect.any(String),
        goal: { before: 'Weather of today', after: 'Sky of today' },
        messages: [
          { role: 'assistant', before: 'I keep rain.', after: 'I keep sun.' },
          { role: 'tool', toolName: 'run_note', before: 'Note kept.', after: 'Sun kept.' },
          { role: 'assistant', toolName: 'run_note', before: '{"content":"rain"}', after: argumentsJson },
        ],
        instruction: 'Be brief.',
      },
    });
    expect(edited).toMatchObject({ type: 'Log', title: 'State edited' });
    expect(edited!.message).toContain('Edited: goal, 2 messages, arguments of 1 call.');
    const { items } = await stage.server.client.auditEvents.list({ query: { action: 'AgentRuns_fork' } });
    expect(items[0]).toMatchObject({ action: 'AgentRuns_fork', targetId: fork.id, outcome: 'Success' });
  });

  it('leaves out what came after a message, and knows a turn of its own source', async () => {
    const { messages } = await state();
    const body = { goal: 'Sky at dawn', edits: { dropFrom: messages[2]!.index }, autoStart: true };
    const fork = await api().fork({ params: { id: origin }, body });
    expect((await stage.end(fork.id)).progressSummary).toBe('early');
    expect(sent('Sky at dawn')[0]!.body.messages).toHaveLength(4);
    const inherited = await api().state({ params: { id: fork.id }, query: { turn: 0 } });
    expect(inherited.messages.map(({ text }) => text)).toEqual(['I keep rain.', 'Note kept.']);
  });

  it('is refused with a hint where it could not go on, and nothing is created', async () => {
    const fork = (body: object) => api().fork({ params: { id: origin }, body });
    const { messages } = await state();
    const runs = async () => (await api().list({ query: {} })).totalCount;
    const before = await runs();
    for (const [body, hint] of [
      [{ edits: { messages: [{ index: 0, text: 'x' }] } }, /Give an instruction with message/],
      [{ edits: { dropFrom: messages[1]!.index } }, /Give dropFrom 0/],
      [{ edits: { messages: [{ index: 99, text: 'x' }] } }, /Its messages are 0 to 6/],
      [{ turn: 9 }, /Its turns are 1 to 4/],
      [{ turn: 1, checkpointId: 'x' }, /Give one of them/],
    ] as const)
      await expect(fork(body)).rejects.toMatchObject({ hint: expect.stringMatching(hint) });
    expect(await runs()).toBe(before);
  });
});
