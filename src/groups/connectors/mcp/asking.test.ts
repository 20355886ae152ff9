import { describe, expect, it } from 'vitest';
import type { ToolQuestion } from '../../../../runtime/ports.ts';
import { formOf } from '../../../outside/mcp/questions.ts';
import { type Wish, wishOf } from '../../../outside/mcp/wishes.ts';
import { type About, openIn, type Step, stepAfter, stepAgain, stepOf } from './asking.ts';

const about: About = { server: 'Harbour', tool: 'dock', asksForModels: false, roots: async () => [] };
const form = (message: string) => {
  const requestedSchema = { type: 'object' as const, properties: { n: { type: 'integer' as const } } };
  return {
    kind: 'form' as const,
    form: formOf({ message, requestedSchema }) as NonNullable<ReturnType<typeof formOf>>,
  };
};
const wish = (method: string, params: object): Wish => wishOf({ method, params }) as Wish;
const prompt = wish('sampling/createMessage', {
  messages: [{ role: 'user', content: { type: 'text', text: 'Which berth?' } }],
  maxTokens: 50,
});
const link = wish('elicitation/create', { mode: 'url', message: 'Pay the dues', url: 'https://pay.example/7' });
const asking = { wishes: { a: form('First?'), b: form('Second?') }, requestState: 'opaque' };
const asked = async (step: Promise<Step>): Promise<ToolQuestion> => ((await step) as { asks: ToolQuestion }).asks;

describe('a call that asks', () => {
  it('asks one form after the other, again where an answer does not fit, and goes on with all', async () => {
    const first = await asked(stepOf(asking, about));
    expect(first.situation).toContain('First?');
    const drawn = {
      server: 'Harbour',
      tool: 'dock',
      message: 'First?',
      fields: { n: { type: 'integer' } },
      required: [],
    };
    expect(JSON.parse(first.formJson ?? '')).toEqual(drawn);
    const again = await asked(stepAfter({ kept: first.kept, decision: 'many' }, about));
    expect(again.situation).toMatch(/did not fit.*First\?/s);
    expect(JSON.parse(again.formJson ?? '')).toEqual({ ...drawn, problem: expect.any(String) });
    const second = await asked(stepAfter({ kept: again.kept, decision: '1' }, about));
    expect(second.situation).toContain('Second?');
    expect(await stepAfter({ kept: second.kept, decision: null }, about)).toEqual({
      goingOn: {
        inputResponses: { a: { action: 'accept', content: { n: 1 } }, b: { action: 'cancel' } },
        requestState: 'opaque',
      },
    });
  });

  it('goes on at once where it is only put off', async () => {
    expect(await stepOf({ wishes: {}, requestState: 's' }, about)).toEqual({
      goingOn: { inputResponses: {}, requestState: 's' },
    });
  });

  it('keeps no more than a run or a chat can', async () => {
    const large = { ...asking, requestState: 'x'.repeat(300_000) };
    await expect(stepOf(large, about)).rejects.toThrow(/more than can be kept/);
  });

  it('goes on with what an earlier version has kept', async () => {
    const kept = JSON.stringify({ forms: { a: form('First?').form }, given: {}, requestState: 's' });
    expect(await stepAfter({ kept, decision: '1' }, about)).toMatchObject({
      goingOn: { inputResponses: { a: { action: 'accept' } }, requestState: 's' },
    });
  });

  it('shows an address whole with its host, to a person alone', async () => {
    const question = await asked(stepOf({ wishes: { a: link } }, about));
    expect(question).toMatchObject({ kind: 'elicitation', needsPerson: true, options: ['done', 'decline'] });
    expect(question.situation).toMatch(/It is at pay\.example:\nhttps:\/\/pay\.example\/7\nPay the dues/);
    const answer = (decision: string | null) => stepAfter({ kept: question.kept, decision }, about);
    expect(await answer('done')).toMatchObject({ goingOn: { inputResponses: { a: { action: 'accept' } } } });
    expect(await answer('decline')).toMatchObject({ goingOn: { inputResponses: { a: { action: 'decline' } } } });
    expect(await answer(null)).toMatchObject({ goingOn: { inputResponses: { a: { action: 'cancel' } } } });
    expect((await asked(answer('why?'))).situation).toContain('neither yes nor no');
  });

  it('is made anew once the addresses that it needs were opened, and not where somebody did not', async () => {
    const { kept } = await asked(stepOf({ wishes: { a: link }, anew: true }, about));
    expect(await stepAfter({ kept, decision: 'done' }, about)).toEqual({ goingOn: undefined });
    expect(await stepAfter({ kept, decision: 'decline' }, about)).toMatchObject({ ends: expect.any(String) });
  });

  it('asks a model where it may, after a person has looked where one shall', async () => {
    const prompts: string[] = [];
    const model: About['model'] = async ({ messages }) => {
      prompts.push(...messages.map(({ text }) => text));
      return { text: 'The third.', modelId: 'm' };
    };
    const wants = { wishes: { a: prompt } };
    const answered = {
      goingOn: { inputResponses: { a: { content: { type: 'text', text: 'The third.' }, model: 'm' } } },
    };
    await expect(stepOf(wants, about)).rejects.toThrow(/not offered here/);
    await expect(stepOf(wants, { ...about, asksForModels: true })).rejects.toThrow(/not offered here/);
    expect(await stepOf(wants, { ...about, model })).toMatchObject(answered);
    expect(prompts).toEqual(['Which berth?']);
    const watched = { ...about, model, asksForModels: true };
    const question = await asked(stepOf(wants, watched));
    expect(question).toMatchObject({ kind: 'sampling', options: ['approve', 'decline'] });
    expect(question.situation).toMatch(/at most 50 tokens.*Which berth\?/s);
    expect(await stepAfter({ kept: question.kept, decision: 'decline' }, watched)).toMatchObject({
      ends: expect.stringMatching(/did not let/),
    });
    expect(prompts).toHaveLength(1);
    expect(await stepAfter({ kept: question.kept, decision: 'approve' }, watched)).toMatchObject(answered);
  });
});

describe('a call that is open', () => {
  const open = (message: string, id: string) => ({ wishes: { [id]: form(message) }, open: `call ${id}` });

  it('gets the answer to its question, and made anew that of before where it asks the same', async () => {
    const { kept } = await asked(stepOf(open('First?', 'q1'), about));
    expect(openIn(kept)).toMatchObject({ call: 'call q1', question: 'q1' });
    expect(await stepAfter({ kept, decision: '1' }, about)).toEqual({
      goingOn: { inputResponses: { q1: { action: 'accept', content: { n: 1 } } } },
    });
    expect(await stepAgain(open('First?', 'q2'), { kept, decision: '1' }, about)).toEqual({
      goingOn: { inputResponses: { q2: { action: 'accept', content: { n: 1 } } } },
    });
    const another = await asked(stepAgain(open('Second?', 'q3'), { kept, decision: '1' }, about));
    expect(another.situation).toContain('Second?');
    const unanswered = await asked(stepAgain(open('First?', 'q4'), { kept, decision: null, lost: true }, about));
    expect(unanswered.situation).toContain('First?');
  });

  it('is refused a model that it may not ask, and goes on', async () => {
    const wants = { wishes: { q: prompt }, open: 'c' };
    expect(await stepOf(wants, about)).toEqual({ goingOn: { inputResponses: {} } });
    const watched = { ...about, asksForModels: true, model: () => Promise.reject(new Error('poor')) };
    const { kept } = await asked(stepOf(wants, watched));
    for (const decision of ['decline', 'approve'])
      expect(await stepAfter({ kept, decision }, watched)).toEqual({ goingOn: { inputResponses: {} } });
  });
});

describe('what a server wants', () => {
  it.each([
    ['elicitation/create', { mode: 'url', message: 'm', url: 'javascript:alert(1)' }],
    ['elicitation/create', { mode: 'url', message: 'm', url: 'https://bank.example@evil.example/' }],
    ['elicitation/create', { mode: 'url', message: 'm', url: `https://a.example/${'x'.repeat(2000)}` }],
    ['sampling/createMessage', { messages: [], maxTokens: 5 }],
    ['sampling/createMessage', { messages: [{ role: 'user', content: { type: 'image', data: '', mimeType: 'a/b' } }] }],
    ['sampling/createMessage', { messages: [{ role: 'user', content: { type: 'text', text: 'x'.repeat(100_001) } }] }],
    ['tools/list', {}],
  ])('is nothing by %s with %o', (method, params) => {
    expect(wishOf({ method, params })).toBeNull();
  });

  it('is a model for no more than some tokens', () => {
    const params = {
      systemPrompt: 's',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'a' }] }],
      maxTokens: 1e9,
    };
    expect(wishOf({ method: 'sampling/createMessage', params })).toEqual({
      kind: 'model',
      prompt: { system: 's', messages: [{ role: 'user', text: 'a' }], maxTokens: 8192 },
    });
  });
});
