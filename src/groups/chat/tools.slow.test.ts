// Tools in chats: made once, refused where they must be, put to people where they must be asked, on any process.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeOf } from '../agent/testing/world.ts';
import { type ChatWorld, createChatWorld } from './testing/world.ts';

let world: ChatWorld;
beforeEach(async () => {
  world = await createChatWorld();
});
afterEach(() => world.close());

const textOf = (messageId: number) =>
  world
    .events(messageId)
    .filter(({ type }) => type === 'ContentDelta')
    .map(({ delta }) => delta)
    .join('');

describe('tools', () => {
  const withTool = async (more: object = {}) => {
    const { id } = await world.create({ enabledTools: ['add_*', 'send_mail'], ...more });
    const { messageId } = await world.start(id, 'Do it');
    return { id, messageId, call: await world.model.nth(0) };
  };

  it('are made between two model calls, with the words around them apart', async () => {
    const { id, messageId, call } = await withTool();
    expect(call.request.tools?.map(({ name }) => name)).toEqual(['add_one', 'send_mail']);
    call.text('Let me see.');
    call.call('c1', 'add_one', { n: 1 });
    call.call('c2', 'nothing', {});
    call.call('c3', 'add_one', { n: 'x' });
    call.finish('tool-calls');
    const next = await world.model.nth(1);
    const results = next.request.messages.filter(({ role }) => role === 'tool');
    expect(results.map(({ content }) => content)).toEqual([
      '{"done":{"n":1}}',
      'There is no tool nothing. Use one of those you were given.',
      expect.stringContaining('The arguments do not fit'),
    ]);
    next.text('It is 2.');
    next.finish();
    await world.settled();
    const { messages, totalTokens } = await world.session(id);
    expect(messages[1]?.content).toBe('Let me see.\n\nIt is 2.');
    expect(textOf(messageId)).toBe('Let me see.\n\nIt is 2.');
    expect(messages[1]?.toolCalls?.map(({ status }) => status)).toEqual(['Succeeded', 'Failed', 'Failed']);
    expect(totalTokens).toBe(30);
    expect(world.events(messageId).filter(({ type }) => type === 'ToolResult')).toHaveLength(3);
  });

  it('that are not enabled or are blocked are not made', async () => {
    world.policy.value = { safe: [], optIn: [], blocked: ['send_*'], layers: ['test'] };
    const { id, call } = await withTool();
    call.call('c1', 'send_mail', { n: 1 });
    call.finish('tool-calls');
    (await world.model.nth(1)).finish();
    await world.settled();
    expect((await world.session(id)).messages[1]?.toolCalls).toMatchObject([{ status: 'Blocked' }]);
    expect(world.made).toEqual([]);
    const listed = await world.handlers.tools({
      ...world.noQuery,
      params: { sessionId: id },
      query: {},
      body: undefined,
    });
    expect(listed).toMatchObject([
      { name: 'add_one', enabled: true, allowedByPolicy: true },
      { name: 'send_mail', enabled: true, allowedByPolicy: false, blockedReason: 'Blocked by test.' },
    ]);
  });

  it('that need an approval wait for it, without a process, and go on anywhere', async () => {
    world.policy.value = { safe: [], optIn: ['send_mail'], blocked: [], layers: ['test'] };
    const { id, messageId, call } = await withTool();
    call.call('c1', 'send_mail', { n: 1 });
    call.call('c2', 'add_one', { n: 2 });
    call.finish('tool-calls');
    await world.settled();
    expect(world.made.map(({ name }) => name)).toEqual(['add_one']);
    expect((await world.session(id)).messages[1]?.toolCalls).toMatchObject([
      { status: 'AwaitingApproval', escalationId: 1 },
      { status: 'Succeeded' },
    ]);
    expect(await codeOf(() => world.start(id, 'Hurry'))).toBe('CONFLICT');
    // Nobody holds it, so nothing is repaired.
    expect(await world.first.chat.repair()).toBe(0);
    const other = world.node('other');
    const decision = { escalationId: 1, approved: true, text: '', argumentsJson: '{"n":5}', answer: 'approve' };
    expect(await other.chat.decided(world.tenantId, id, decision)).toBe(true);
    const next = await world.model.nth(1);
    next.text('Sent.');
    next.finish();
    await world.settled(other.chat);
    expect(world.made.at(-1)).toMatchObject({ name: 'send_mail', input: { n: 5 } });
    expect(await world.session(id)).toMatchObject({ generatingMessageId: null, totalTokens: 30 });
    expect(world.events(messageId).at(-1)).toMatchObject({ type: 'Completed', message: { content: 'Sent.' } });
    // A decision that comes twice changes nothing.
    expect(await world.first.chat.decided(world.tenantId, id, decision)).toBe(true);
  });

  it('that ask a person are made again with the answer, as often as they ask, on any process', async () => {
    const answers: unknown[] = [];
    const ask = world.tool('ask_one', async (_, { answered }) => {
      answers.push(answered);
      const asks = { kind: 'elicitation', situation: 'Which?', options: [], kept: `state ${answers.length}` };
      return answered?.decision === 'north' ? 'It was north.' : { content: '', asks };
    });
    world.tools.push(ask);
    const { id, call } = await withTool({ enabledTools: ['ask_*'] });
    call.call('c1', 'ask_one', { n: 1 });
    call.finish('tool-calls');
    await world.settled();
    const state = async () => (await world.session(id)).messages[1]?.toolCalls;
    expect(await state()).toMatchObject([{ status: 'AwaitingApproval', escalationId: 1, asks: 'elicitation' }]);
    const other = world.node('other');
    const answer = { approved: false, text: '', argumentsJson: null };
    await other.chat.decided(world.tenantId, id, { ...answer, escalationId: 1, answer: null });
    await world.settled(other.chat);
    // A word of approval is an answer like any other.
    await other.chat.decided(world.tenantId, id, { ...answer, escalationId: 2, answer: 'approve', approved: true });
    await world.settled(other.chat);
    await other.chat.decided(world.tenantId, id, { ...answer, escalationId: 3, answer: 'north' });
    const next = await world.model.nth(1);
    expect(next.request.messages.at(-1)).toMatchObject({ role: 'tool', content: 'It was north.' });
    next.finish();
    await world.settled(other.chat);
    expect(answers).toEqual([
      undefined,
      { kept: 'state 1', decision: null },
      { kept: 'state 2', decision: 'approve' },
      { kept: 'state 3', decision: 'north' },
    ]);
    expect(await state()).toMatchObject([{ status: 'Succeeded', asks: null }]);
  });

  it.each([
    ['report', 'Failed'],
    ['retry', 'AwaitingApproval'],
  ] as const)('on a connection, which %s, let go of it with the reply, which then continues: %s', async (how, then) => {
    const dropped: string[] = [];
    const held = { until: 1, over: new AbortController().signal, drop: () => void dropped.push('dropped') };
    const asks = { kind: 'elicitation', situation: 'Which?', options: [], kept: 'k', held };
    world.tools.push({ ...world.tool('ask_one', async () => ({ content: '', asks })), whenInterrupted: how });
    const { id, call } = await withTool({ enabledTools: ['ask_*'] });
    // Stopped while it asks.
    const withdraw = world.asked.push.bind(world.asked);
    world.asked.push = (...all) => {
      world.asked.push = withdraw;
      throw new Error(`the store is away: ${all.length}`);
    };
    call.call('c1', 'ask_one', { n: 1 });
    call.finish('tool-calls');
    await world.settled();
    expect(dropped).toEqual(['dropped']);
    expect((await world.session(id)).messages[1]?.state).toBe('Failed');
    world.model.play = (again) => again.finish();
    await world.start(id, null);
    await world.settled();
    expect((await world.session(id)).messages[1]?.toolCalls).toMatchObject([{ status: then }]);
  });

  it('that are refused tell the model so; a stopped reply asks nobody any more', async () => {
    world.policy.value = { safe: [], optIn: ['send_mail'], blocked: [], layers: ['test'] };
    const { id, call } = await withTool();
    call.call('c1', 'send_mail', { n: 1 });
    call.finish('tool-calls');
    await world.settled();
    const no = { escalationId: 1, approved: false, text: 'Not today.', argumentsJson: null, answer: 'reject' };
    await world.first.chat.decided(world.tenantId, id, no);
    const next = await world.model.nth(1);
    expect(next.request.messages.at(-1)).toMatchObject({ role: 'tool', content: 'Not today.', isError: true });
    next.call('c2', 'send_mail', { n: 2 });
    next.finish('tool-calls');
    await world.settled();
    await world.first.chat.stop(world.tenantId, id);
    expect(world.asked).toEqual([
      { escalationId: 1, withdrawn: false },
      { escalationId: 2, withdrawn: true },
    ]);
    expect(world.made).toEqual([]);
    // Continued, it asks anew.
    await world.start(id, null);
    await world.settled();
    expect(world.asked).toHaveLength(3);
  });

  it('end somewhere, even with a model that does nothing else', async () => {
    world.model.play = (call) => {
      call.text('.');
      call.call('c', 'add_one', { n: 1 });
      call.finish('tool-calls');
    };
    const { id } = await world.create({ enabledTools: ['*'] });
    await world.start(id, 'Go');
    await world.settled();
    expect((await world.session(id)).messages[1]).toMatchObject({ state: 'Complete' });
    expect(world.model.calls).toHaveLength(24);
    expect(world.model.calls.at(-1)?.request.toolChoice).toBe('none');
    expect(world.made).toHaveLength(23);
  });

  it('are not repeated after a crash in the middle of them', async () => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    world.tools.push(world.tool('slow_one', async () => held.then(() => 'late')));
    const dying = world.node('dying');
    const { id } = await world.create({ enabledTools: ['*'] });
    const { messageId } = await world.start(id, 'Do it', {}, dying.chat);
    const savedStatuses = async () =>
      (await world.store.message(world.tenantId, messageId))?.steps[0]?.toolCalls.map(({ status }) => status);
    const call = await world.model.nth(0);
    call.call('c1', 'add_one', { n: 1 });
    call.call('c2', 'slow_one', { n: 1 });
    call.finish('tool-calls');
    await expect.poll(() => world.made.length).toBe(2);
    await world.clock.advance(1100);
    await expect.poll(savedStatuses).toEqual(['Succeeded', 'Running']);
    world.alive.delete('dying');
    await world.first.chat.repair();
    await world.start(id, null);
    const next = await world.model.nth(1);
    expect(next.request.messages.filter(({ role }) => role === 'tool').map(({ content }) => content)).toEqual([
      '{"done":{"n":1}}',
      'The call was interrupted: nobody knows whether it took effect.',
    ]);
    next.finish();
    await world.settled();
    expect(world.made).toHaveLength(2);
    release();
    await world.settled(dying.chat);
  });
});
