// The chat engine with its store: replies, branches, failures, tools, and what becomes of a reply whose server dies.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Fault } from '../../kernel/fault.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import { codeOf } from '../agent/testing/world.ts';
import { type ChatWorld, createChatWorld } from './testing/world.ts';

let world: ChatWorld;
beforeEach(async () => {
  world = await createChatWorld();
});
afterEach(() => world.close());

const said = (messages: { role: string; content: string; state: string }[]) =>
  messages.map(({ role, content, state }) => `${role}: ${content} (${state})`);
const textOf = (messageId: number) =>
  world
    .events(messageId)
    .filter(({ type }) => type === 'ContentDelta')
    .map(({ delta }) => delta)
    .join('');

/** Asks, and lets the model answer with one text. */
async function ask(sessionId: number, question: string, answer: string, more: object = {}) {
  const at = world.model.calls.length;
  const { messageId } = await world.start(sessionId, question, more);
  const call = await world.model.nth(at);
  call.text(answer);
  call.finish();
  await world.settled();
  return { messageId, request: call.request };
}

describe('a reply', () => {
  it('is told in order, kept, and counted', async () => {
    const { id } = await world.create({ systemPrompt: 'Be brief.', reasoningEffort: 'low' });
    const { messageId } = await world.start(id, 'How are you?');
    const call = await world.model.nth(0);
    call.think('hm');
    call.text('I am ', 'fine');
    call.finish('stop', { promptTokens: 20, completionTokens: 4, cacheReadTokens: 8 });
    await world.settled();
    const events = world.events(messageId);
    expect(events.map(({ type }) => type)).toEqual([
      'Started',
      'ReasoningDelta',
      'ContentDelta',
      'ContentDelta',
      'Usage',
      'Completed',
    ]);
    expect(events.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(events.at(-1)).toMatchObject({ message: { content: 'I am fine', reasoningContent: 'hm' } });
    expect(events.at(-1)?.usage).toMatchObject({ reply: 'I am fine', promptTokens: 20, completionTokens: 4 });
    expect(call.request).toMatchObject({ purpose: 'Chat', chatSessionId: id, reasoningEffort: 'low', modelId: 'auto' });
    expect(call.request.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'How are you?' },
    ]);
    const session = await world.session(id);
    expect(session).toMatchObject({ messageCount: 2, totalTokens: 24, generatingMessageId: null });
    expect(session.messages[1]).toMatchObject({ cacheReadTokens: 8, modelId: 'puppet:one', reasoningSource: 'model' });
  });

  it('goes back to the model with what its provider wants back', async () => {
    const { id } = await world.create();
    await ask(id, 'One', 'First');
    const { request } = await ask(id, 'Two', 'Second');
    expect(request.messages).toEqual([
      { role: 'user', content: 'One' },
      { role: 'assistant', content: 'First', providerState: { seen: true } },
      { role: 'user', content: 'Two' },
    ]);
  });

  it('is one at a time a session', async () => {
    const { id } = await world.create();
    await world.start(id, 'One');
    expect(await codeOf(() => world.start(id, 'Two'))).toBe('CONFLICT');
    expect(await codeOf(() => world.start(id, 'Two', {}, world.node('two').chat))).toBe('CONFLICT');
    (await world.model.nth(0)).finish();
    await world.settled();
    await ask(id, 'Two', 'Now');
    expect(said((await world.session(id)).messages)).toHaveLength(4);
  });

  it('is one for each idempotency key, while it is made and afterwards', async () => {
    const { id } = await world.create();
    const first = await world.start(id, 'One', { idempotencyKey: 'k' });
    const again = await world.start(id, 'One', { idempotencyKey: 'k' });
    expect(again).toEqual({ ...first, existed: true });
    (await world.model.nth(0)).finish();
    await world.settled();
    expect(await world.start(id, 'One', { idempotencyKey: 'k' })).toEqual({ ...first, existed: true });
    expect(await codeOf(() => world.start(id, 'Other', { idempotencyKey: 'k' }))).toBe('IDEMPOTENCY_MISMATCH');
    // A reply of before has no digest of its request: its text tells.
    const now = { idempotencyKey: 'k', askedDigest: 'of One' };
    expect(await world.start(id, 'One', now)).toEqual({ ...first, existed: true });
    expect(await codeOf(() => world.start(id, 'Other', now))).toBe('IDEMPOTENCY_MISMATCH');
    expect(world.model.calls).toHaveLength(1);
  });

  it('keeps what was said when the model fails, and goes on from there', async () => {
    const { id } = await world.create();
    const { messageId } = await world.start(id, 'Tell me');
    const call = await world.model.nth(0);
    call.text('Once upon');
    call.fail(new Fault('PROVIDER_ERROR', 'The connection broke.', { hint: 'Try again.' }));
    await world.settled();
    expect(world.events(messageId).at(-1)).toMatchObject({
      type: 'Error',
      error: 'The connection broke.',
      errorCode: 'PROVIDER_ERROR',
      hint: 'Try again.',
    });
    expect(await world.session(id)).toMatchObject({ totalTokens: 10, messages: [{}, { state: 'Failed' }] });
    const went = await world.start(id, null);
    expect(went.messageId).toBe(messageId);
    const more = await world.model.nth(1);
    expect(more.request.messages.slice(0, 2)).toEqual([
      { role: 'user', content: 'Tell me' },
      { role: 'assistant', content: 'Once upon' },
    ]);
    expect(more.request.messages[2]?.content).toContain('cut off');
    more.text(' a time');
    more.finish();
    await world.settled();
    const { messages } = await world.session(id);
    expect(said(messages)).toEqual(['user: Tell me (Complete)', 'assistant: Once upon a time (Complete)']);
    // Afterwards the model sees one whole reply.
    const { request } = await ask(id, 'And then?', 'The end');
    expect(request.messages[1]).toMatchObject({ role: 'assistant', content: 'Once upon a time' });
    expect(await codeOf(() => world.start(id, null, { parentMessageId: messageId }))).toBe('VALIDATION_FAILED');
  });

  it('is stopped by anybody who may, and keeps what was said', async () => {
    const { id } = await world.create();
    const { messageId } = await world.start(id, 'Count');
    const call = await world.model.nth(0);
    call.text('one ', 'two');
    await expect.poll(() => textOf(messageId)).toBe('one two');
    const stopped = await world.first.chat.stop(world.tenantId, id);
    expect(stopped).toMatchObject({ state: 'Stopped', content: 'one two', usage: { promptTokens: 7 } });
    expect(call.request.signal.aborted).toBe(true);
    expect(world.events(messageId).at(-1)).toMatchObject({ type: 'Completed', message: { state: 'Stopped' } });
    expect(await codeOf(() => world.first.chat.stop(world.tenantId, id))).toBe('CONFLICT');
  });
});

describe('branches', () => {
  it('are made by answering again, by following an earlier message, and by beginning anew', async () => {
    const { id } = await world.create();
    const first = await ask(id, 'Q1', 'A1');
    await ask(id, 'Q2', 'A2');
    const again = await world.start(id, null, { regenerateMessageId: first.messageId });
    const call = await world.model.nth(2);
    expect(call.request.messages).toEqual([{ role: 'user', content: 'Q1' }]);
    call.text('A1b');
    call.finish();
    await world.settled();
    expect((await world.session(id)).messages.map(({ content }) => content)).toEqual(['Q1', 'A1b']);
    const { request } = await ask(id, 'Q3', 'A3', { parentMessageId: first.messageId });
    expect(request.messages.map(({ content }) => content)).toEqual(['Q1', 'A1', 'Q3']);
    await ask(id, 'New', 'Begin', { parentMessageId: null });
    expect((await world.session(id)).messages.map(({ content }) => content)).toEqual(['New', 'Begin']);
    const all = await world.store.messages(world.tenantId, id);
    expect(all).toHaveLength(9);
    expect(all.find((one) => one.id === again.messageId)?.parentId).toBe(all[0]?.id);
    expect(await codeOf(() => world.start(id, 'x', { parentMessageId: 999_999 }))).toBe('NOT_FOUND');
  });

  it('leave out what is hidden', async () => {
    const { id } = await world.create();
    const { messageId } = await ask(id, 'Secret', 'Noted');
    await world.handlers.patchMessage({ ...world.noQuery, params: { messageId }, body: { hidden: true } });
    const { request } = await ask(id, 'What?', '…');
    expect(request.messages.map(({ content }) => content)).toEqual(['Secret', 'What?']);
  });
});

describe('when a server dies', () => {
  it('keeps what was saved last, marks it, and lets it be continued; living servers are left alone', async () => {
    const dying = world.node('dying');
    const [a, b] = [await world.create(), await world.create()];
    const lost = await world.start(a.id, 'Tell me', {}, dying.chat);
    const call = await world.model.nth(0);
    call.text('Half of ');
    await expect.poll(() => textOf(lost.messageId)).toBe('Half of ');
    await world.clock.advance(1100);
    const saved = async () => (await world.store.message(world.tenantId, lost.messageId))?.content;
    await expect.poll(saved).toBe('Half of ');
    const other = world.node('other');
    await world.start(b.id, 'Another', {}, other.chat);
    world.alive.delete('dying');
    expect(await world.first.chat.repair()).toBe(1);
    expect(world.abandoned).toEqual([a.id]);
    expect(await world.session(a.id)).toMatchObject({
      generatingMessageId: null,
      messageCount: 2,
      messages: [{}, { state: 'Interrupted', content: 'Half of ', errorCode: 'SHUTTING_DOWN' }],
    });
    expect((await world.session(b.id)).generatingMessageId).not.toBeNull();
    expect(world.events(lost.messageId).at(-1)).toMatchObject({ type: 'Error', message: { content: 'Half of ' } });
    // The dead one was only asleep: it may write no more.
    call.text('a different story');
    await world.clock.advance(1100);
    await world.settled(dying.chat);
    await world.start(a.id, null);
    const more = await world.model.nth(2);
    more.text('the truth');
    more.finish();
    await world.settled();
    expect(said((await world.session(a.id)).messages)[1]).toBe('assistant: Half of the truth (Complete)');
    // What the dead one told and did not save had numbers, too: the part after it has others.
    const told = world.events(lost.messageId).map(({ type, index }) => ({ type, index }));
    const [again, before] = [
      told.findLast(({ type }) => type === 'Started'),
      told.find(({ type }) => type === 'Error'),
    ];
    expect((again?.index ?? 0) - (before?.index ?? 0)).toBeGreaterThan(1000);
  });

  it('Stop ends its reply as soon as it is known to be dead', async () => {
    // A clock of its own stands still with it.
    const itsClock = new SimulatedClock(world.clock.now());
    const dying = world.node('dying', (ports) => ({ ...ports, clock: itsClock }));
    let looks = 0;
    const other = world.node('other', (ports) => ({
      ...ports,
      nodes: { ...ports.nodes, alive: async () => (++looks > 2 ? ['other'] : ['other', 'dying']) },
    }));
    const { id } = await world.create();
    const { messageId } = await world.start(id, 'Tell me', {}, dying.chat);
    const call = await world.model.nth(0);
    call.text('Half of ');
    await expect.poll(() => textOf(messageId)).toBe('Half of ');
    await itsClock.advance(1100);
    const saved = async () => (await world.store.message(world.tenantId, messageId))?.content;
    await expect.poll(saved).toBe('Half of ');
    let stopped: unknown = null;
    void other.chat.stop(world.tenantId, id).then((message) => {
      stopped = message;
    });
    while (!stopped) await world.clock.advance(10);
    expect(stopped).toMatchObject({ state: 'Stopped', content: 'Half of ', error: null });
    expect(looks).toBe(3);
    expect(world.abandoned).toEqual([id]);
    expect(await world.session(id)).toMatchObject({ generatingMessageId: null, messageCount: 2 });
    expect(world.events(messageId).at(-1)).toMatchObject({ type: 'Completed', message: { state: 'Stopped' } });
    // It was only asleep: it may write no more.
    call.text('a different story');
    await itsClock.advance(1100);
    await world.settled(dying.chat);
    expect(said((await world.session(id)).messages)[1]).toBe('assistant: Half of  (Stopped)');
  });

  it('what a node takes that comes to life while others look for the dead is left to it', async () => {
    const { id } = await world.create();
    const looking = world.node('looking', (ports) => ({
      ...ports,
      nodes: {
        ...ports.nodes,
        alive: async () => {
          const seen = await ports.nodes.alive();
          await world.start(id, 'Tell me', {}, world.node('late').chat);
          return seen;
        },
      },
    }));
    expect(await looking.chat.repair()).toBe(0);
    expect((await world.session(id)).generatingMessageId).not.toBeNull();
  });

  it('a node that was taken for dead keeps a reply that nobody has ended, under its new name', async () => {
    let name = 'slow';
    const nodes = { own: () => name, hold: async () => name, alive: async () => [...world.alive] };
    const slow = world.node('slow', (ports) => ({ ...ports, nodes }));
    const { id } = await world.create();
    await world.start(id, 'Tell me', {}, slow.chat);
    const call = await world.model.nth(0);
    world.alive.delete('slow');
    name = 'slow+1';
    world.alive.add(name);
    expect(await slow.chat.repair()).toBe(0);
    await world.clock.advance(1100);
    const owner = async () => (await world.store.session(world.tenantId, id))?.generation?.owner;
    await expect.poll(owner).toBe(name);
    expect(await world.first.chat.repair()).toBe(0);
    call.text('All of it');
    call.finish();
    await world.settled(slow.chat);
    expect(said((await world.session(id)).messages)[1]).toBe('assistant: All of it (Complete)');
    expect((await world.session(id)).generatingMessageId).toBeNull();
  });

  it('a reply that waited long is not taken for forgotten while a decision is being taken', async () => {
    world.policy.value = { safe: [], optIn: ['send_mail'], blocked: [], layers: [] };
    const { id } = await world.create({ enabledTools: ['send_mail'] });
    let ended = -1;
    const taking = world.node('taking', (ports) => ({
      ...ports,
      store: {
        ...ports.store,
        transfer: async (session, owner) => {
          const given = await ports.store.transfer(session, owner);
          // It looks for lost replies after the store has moved this one, before the answer has come.
          if (owner === 'taking') ended = await taking.chat.repair();
          return given;
        },
      },
    }));
    await world.start(id, 'Write to her', {}, taking.chat);
    const call = await world.model.nth(0);
    call.call('c1', 'send_mail', { n: 1 });
    call.finish('tool-calls');
    await world.settled(taking.chat);
    await world.clock.advance(120_000);
    const decision = { escalationId: 1, approved: true, text: '', argumentsJson: null, answer: null };
    expect(await taking.chat.decided(world.tenantId, id, decision)).toBe(true);
    expect(ended).toBe(0);
    (await world.model.nth(1)).finish();
    await world.settled(taking.chat);
    expect((await world.session(id)).messages[1]).toMatchObject({ state: 'Complete' });
  });

  it('a clean stop keeps everything that was said', async () => {
    const { id } = await world.create();
    const { messageId } = await world.start(id, 'Tell me');
    (await world.model.nth(0)).text('All of it');
    await expect.poll(() => textOf(messageId)).toBe('All of it');
    const closing = world.first.chat.close(1000);
    await world.clock.advance(1100);
    await closing;
    expect(said((await world.session(id)).messages)[1]).toBe('assistant: All of it (Interrupted)');
    expect(await codeOf(() => world.start(id, 'More'))).toBe('SHUTTING_DOWN');
  });
});

describe('long sessions', () => {
  it('are compacted before the call, once, and go on from the summary', async () => {
    const { id } = await world.create();
    const long = 'word '.repeat(400);
    for (const n of [1, 2, 3]) await ask(id, `${n} ${long}`, long);
    world.model.contextTokens = 4000;
    const at = world.model.calls.length;
    await world.start(id, 'And now?');
    const summary = await world.model.nth(at);
    // By no name: a server may let nobody name models directly.
    expect(summary.request).toMatchObject({ purpose: 'Summary', modelId: 'auto' });
    summary.text('They said word a lot.');
    summary.finish();
    const call = await world.model.nth(at + 1);
    expect(call.request.messages[0]?.content).toContain('They said word a lot.');
    expect(call.request.messages.length).toBeLessThan(6);
    call.finish();
    await world.settled();
    const { request } = await ask(id, 'Next', 'Yes');
    expect(request.purpose).toBe('Chat');
    expect(request.messages[0]?.content).toContain('They said word a lot.');
  });

  it('are compacted when the provider says that they are too long', async () => {
    const { id } = await world.create();
    await ask(id, 'One '.repeat(50), 'First '.repeat(50));
    await ask(id, 'Two', 'Second');
    await world.start(id, 'Three');
    (await world.model.nth(2)).fail(new Fault('CONTEXT_TOO_LARGE', 'Too long.'));
    const summary = await world.model.nth(3);
    expect(summary.request.purpose).toBe('Summary');
    summary.fail(new Fault('PROVIDER_ERROR', 'No.'));
    const call = await world.model.nth(4);
    expect(call.request.messages[0]?.content).toContain('dropped');
    expect(call.request.messages.at(-1)?.content).toBe('Three');
    call.text('Third');
    call.finish();
    await world.settled();
    expect((await world.session(id)).messages.at(-1)).toMatchObject({ content: 'Third', state: 'Complete' });
  });
});

describe('titles', () => {
  it("are the first words at once, then the model's, unless somebody has named it", async () => {
    const { id } = await world.create({ title: undefined });
    await world.start(id, 'Why is the sky blue?');
    expect((await world.session(id)).title).toBe('Why is the sky blue?');
    const call = await world.model.nth(0);
    call.text('Because.');
    call.finish();
    const naming = await world.model.nth(1);
    expect(naming.request).toMatchObject({ purpose: 'Title', chatSessionId: id, modelId: 'auto' });
    naming.text('"Colour of the sky."');
    naming.finish();
    await expect.poll(async () => (await world.session(id)).title).toBe('Colour of the sky');
    await ask(id, 'And the sea?', 'Likewise.');
    expect(world.model.calls).toHaveLength(3);
  });
});
