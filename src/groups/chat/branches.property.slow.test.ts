// Any order of asking, answering, branching, stopping, failing and dying leaves the tree that a simple model predicts.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { branchOf } from '../../../runtime/chat/branch.ts';
import { Fault } from '../../kernel/fault.ts';
import { codeOf } from '../agent/testing/world.ts';
import { type ChatNode, type ChatWorld, createChatWorld } from './testing/world.ts';

/** What the session must look like. */
interface Expected {
  messages: { id: number; parentId: number | null; role: string; content: string; state: string }[];
  active: number | null;
  /** The reply that is being made, and the node that makes it. */
  running: { id: number; node: number } | null;
}

type Step =
  | { do: 'ask'; node: number; parent: number | null }
  | { do: 'regenerate' | 'continue'; node: number; pick: number }
  | { do: 'say'; text: string }
  | { do: 'finish' | 'fail' | 'stop' | 'crash' };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('ask' as const), node: fc.nat(1), parent: fc.option(fc.nat(20)) }),
  },
  fc.record({ do: fc.constantFrom('regenerate' as const, 'continue' as const), node: fc.nat(1), pick: fc.nat(20) }),
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant('say' as const), text: fc.string({ minLength: 1, maxLength: 5 }) }),
  },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('finish' as const) }) },
  fc.record({ do: fc.constantFrom('fail' as const, 'stop' as const, 'crash' as const) }),
);

class Session {
  readonly #world: ChatWorld;
  readonly #id: number;
  readonly #expected: Expected = { messages: [], active: null, running: null };
  #nodes: ChatNode[];
  #started = 0;

  constructor(world: ChatWorld, id: number) {
    this.#world = world;
    this.#id = id;
    this.#nodes = [this.#fresh(), this.#fresh()];
  }

  /** A node that nobody has taken for dead: the world outlives a session, and so do its dead. */
  #fresh(): ChatNode {
    return this.#world.node(`node ${this.#started++} of session ${this.#id}`);
  }

  async take(step: Step): Promise<void> {
    const { messages, running } = this.#expected;
    if (step.do === 'ask') {
      const parent =
        step.parent === null ? this.#expected.active : (messages[step.parent % (messages.length || 1)]?.id ?? null);
      await this.#start(step.node, 'Q', step.parent === null ? {} : { parentMessageId: parent }, parent);
    } else if (step.do === 'regenerate' || step.do === 'continue') {
      const replies = messages.filter(({ role }) => role === 'assistant');
      const reply = replies[step.pick % (replies.length || 1)];
      if (!reply) return;
      if (step.do === 'regenerate')
        await this.#start(step.node, null, { regenerateMessageId: reply.id }, reply.parentId);
      else await this.#continue(step.node, reply);
    } else if (running) await this.#during(step, running);
  }

  /** The store says what the model says. */
  async check(): Promise<void> {
    const { messages, active, running } = this.#expected;
    const stored = await this.#world.store.messages(this.#world.tenantId, this.#id);
    const plain = ({ id, parentId, role, state }: (typeof messages)[number]) => ({ id, parentId, role, state });
    expect(stored.map(plain)).toEqual(messages.map(plain));
    for (const one of messages) {
      if (one.state !== 'Streaming') expect(stored.find(({ id }) => id === one.id)?.content).toBe(one.content);
    }
    const session = await this.#world.session(this.#id);
    expect(session).toMatchObject({ activeMessageId: active, generatingMessageId: running?.id ?? null });
    expect(session.messageCount).toBe(messages.length);
    expect(session.messages.map(({ id }) => id)).toEqual(branchOf(messages, active).map(({ id }) => id));
    const spent = stored.reduce((sum, { usage }) => sum + usage.promptTokens + usage.completionTokens, 0);
    if (!running) expect(session.totalTokens).toBe(spent);
  }

  async end(): Promise<void> {
    if (this.#expected.running) await this.take({ do: 'stop' });
    await this.check();
  }

  #node(at: number) {
    return this.#nodes[at] as ChatNode;
  }

  async #refused(asking: () => unknown, code: string): Promise<void> {
    expect(await codeOf(asking)).toBe(code);
  }

  async #start(at: number, question: string | null, more: object, parentId: number | null): Promise<void> {
    const { messages, running } = this.#expected;
    const asking = () => this.#world.start(this.#id, question, more, this.#node(at).chat);
    if (running) return this.#refused(asking, 'CONFLICT');
    const calls = this.#world.model.calls.length;
    const { messageId } = await asking();
    await this.#world.model.nth(calls);
    const asked = messageId - 1;
    if (question !== null) messages.push({ id: asked, parentId, role: 'user', content: question, state: 'Complete' });
    const reply = { id: messageId, parentId: question === null ? parentId : asked, role: 'assistant', content: '' };
    messages.push({ ...reply, state: 'Streaming' });
    this.#expected.active = messageId;
    this.#expected.running = { id: messageId, node: at };
  }

  async #continue(at: number, reply: Expected['messages'][number]): Promise<void> {
    const going = () => this.#world.start(this.#id, null, { parentMessageId: reply.id }, this.#node(at).chat);
    if (this.#expected.running) return this.#refused(going, 'CONFLICT');
    if (reply.state === 'Complete') return this.#refused(going, 'VALIDATION_FAILED');
    const calls = this.#world.model.calls.length;
    await going();
    await this.#world.model.nth(calls);
    reply.state = 'Streaming';
    this.#expected.active = reply.id;
    this.#expected.running = { id: reply.id, node: at };
  }

  async #during(step: Step, { id, node }: NonNullable<Expected['running']>): Promise<void> {
    const reply = this.#expected.messages.find((one) => one.id === id) as Expected['messages'][number];
    const call = this.#world.model.calls.at(-1);
    const { chat, name } = this.#node(node);
    if (step.do === 'say') {
      call?.text(step.text);
      reply.content += step.text;
      await expect.poll(() => this.#told(id), { interval: 1 }).toBe(reply.content);
      return;
    }
    if (step.do === 'finish') call?.finish();
    else if (step.do === 'fail') call?.fail(new Fault('PROVIDER_ERROR', 'Broken.'));
    else if (step.do === 'stop') {
      const stopping = this.#node(1 - node).chat.stop(this.#world.tenantId, this.#id);
      while (chat.active() > 0) await this.#world.clock.advance(500);
      await this.#world.clock.advance(200);
      await stopping;
    } else {
      await this.#world.clock.advance(1100);
      await expect.poll(() => this.#saved(id), { interval: 1 }).toBe(reply.content);
      this.#world.alive.delete(name);
      await this.#node(1 - node).chat.repair();
      // The dead one wakes up and finds that it has lost.
      await this.#world.clock.advance(1100);
      this.#nodes[node] = this.#fresh();
    }
    await this.#world.settled(chat);
    reply.state = { finish: 'Complete', fail: 'Failed', stop: 'Stopped', crash: 'Interrupted' }[step.do as 'finish'];
    this.#expected.running = null;
  }

  async #saved(id: number) {
    return (await this.#world.store.message(this.#world.tenantId, id))?.content;
  }

  /** What watchers have been told that the reply says. */
  #told(id: number): string {
    let text = '';
    for (const { type, message, delta } of this.#world.events(id)) {
      if (type === 'Started') text = message?.content ?? '';
      else if (type === 'ContentDelta') text += delta;
    }
    return text;
  }
}

it('the tree, its branches and the one generation are as predicted', async () => {
  const world = await createChatWorld();
  try {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 25 }), async (steps) => {
        const session = new Session(world, (await world.create()).id);
        for (const one of steps) {
          await session.take(one);
          await session.check();
        }
        await session.end();
      }),
      { numRuns: 30 },
    );
  } finally {
    await world.close();
  }
}, 300_000);
