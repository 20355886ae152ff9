// A server that dies anywhere on the way of a question leaves no question that nobody waits for.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { ChatPorts } from '../../../runtime/chat/ports.ts';
import { type ChatWorld, createChatWorld } from './testing/world.ts';

let world: ChatWorld;
let called: string;
beforeEach(async () => {
  called = 'send_mail';
  world = await createChatWorld();
  world.policy.value = { safe: [], optIn: ['send_mail'], blocked: [], layers: ['test'] };
  const asks = { kind: 'elicitation', situation: 'Which?', options: [], kept: 'k' };
  const ask = world.tool('ask_one', async (_, { answered }) => (answered ? 'Thanks.' : { content: '', asks }));
  world.tools.push(ask);
  world.model.play = (call) => {
    const asksAgain = call.request.messages.at(-1)?.role === 'user';
    call.text('.');
    if (asksAgain) {
      call.call('c1', called, { n: 1 });
      call.call('c2', 'add_one', { n: 2 });
    }
    call.finish(asksAgain ? 'tool-calls' : 'stop');
  };
});
afterEach(() => world.close());

/** A process that dies at a call of its store or of its approvals, before or after the call took effect. */
function mortal(steps: number, when: 'before' | 'after') {
  let left = steps;
  let die: (word: 'died') => void = () => {};
  const died = new Promise<'died'>((resolve) => {
    die = resolve;
  });
  const never = new Promise<never>(() => {});
  const underWay = new Set<Promise<unknown>>();
  const live = async (call: () => Promise<unknown>) => {
    const isLast = left-- === 0;
    if (left < -1 || (isLast && when === 'before')) {
      die('died');
      return never;
    }
    const made = call();
    underWay.add(made);
    const result = await made.finally(() => underWay.delete(made));
    if (left >= 0) return result;
    die('died');
    return never;
  };
  const wrap = <T extends object>(port: T): T =>
    new Proxy(port, {
      get(target, name) {
        const method: unknown = Reflect.get(target, name);
        if (typeof method !== 'function') return method;
        return (...args: unknown[]) => live(() => method.apply(target, args));
      },
    });
  return {
    died,
    /** What it had begun takes effect all the same. */
    rest: () => Promise.allSettled(underWay),
    ports: (ports: ChatPorts): ChatPorts => ({
      ...ports,
      store: wrap(ports.store),
      approvals: wrap(ports.approvals),
    }),
  };
}

/** Continues after a death. */
async function goOn(id: number) {
  const { generatingMessageId, messages } = await world.session(id);
  if (generatingMessageId !== null) await world.first.chat.stop(world.tenantId, id);
  await world.start(id, messages.length > 1 && messages[1]?.state !== 'Complete' ? null : 'Do it');
  await world.settled();
}

const openQuestions = () => world.asked.filter(({ withdrawn }) => !withdrawn).map(({ escalationId }) => escalationId);

/** The question that the session's reply waits for. */
async function awaited(sessionId: number) {
  const { messages } = await world.session(sessionId);
  const calls = messages.flatMap(({ toolCalls }) => toolCalls ?? []);
  return calls.filter(({ status }) => status === 'AwaitingApproval').map(({ escalationId }) => escalationId);
}

async function live(sessionId: number, chat: ChatWorld['first']['chat']): Promise<'ended'> {
  await world.start(sessionId, 'Do it', {}, chat);
  await world.settled(chat);
  await chat.stop(world.tenantId, sessionId);
  return 'ended';
}

it.each(['before', 'after'] as const)('dying %s any of its writes', async (when) => {
  for (let steps = 0; ; steps++) {
    const { id } = await world.create({ enabledTools: ['*'] });
    const body = mortal(steps, when);
    const dying = world.node(`dying-${steps}`, body.ports);
    const ended = await Promise.race([live(id, dying.chat), body.died]);
    await body.rest();
    world.alive.delete(dying.name);
    await world.first.chat.repair();
    expect([steps, openQuestions()]).toEqual([steps, await awaited(id)]);
    if (ended === 'ended') break;
    // It goes on from whatever is left, and asks once.
    await goOn(id);
    expect([steps, openQuestions()]).toEqual([steps, await awaited(id)]);
    expect([steps, openQuestions().length]).toEqual([steps, 1]);
    await world.first.chat.stop(world.tenantId, id);
  }
});

/** A reply whose call asks, and is answered. */
async function answered(sessionId: number, chat: ChatWorld['first']['chat']): Promise<'ended'> {
  await world.start(sessionId, 'Do it', {}, chat);
  await world.settled(chat);
  const [escalationId = 0] = openQuestions();
  const answer = { approved: false, text: '', argumentsJson: null, answer: 'north' };
  await chat.decided(world.tenantId, sessionId, { escalationId, ...answer });
  const found = world.asked.find((one) => one.escalationId === escalationId);
  // Closed, as its decision has closed it.
  if (found) found.withdrawn = true;
  await world.settled(chat);
  return 'ended';
}

it.each(['before', 'after'] as const)(
  'dying %s any of its writes while its call asks and is answered',
  async (when) => {
    called = 'ask_one';
    for (let steps = 0; ; steps++) {
      const { id } = await world.create({ enabledTools: ['*'] });
      const body = mortal(steps, when);
      const dying = world.node(`dying-${steps}`, body.ports);
      const ended = await Promise.race([answered(id, dying.chat), body.died]);
      await body.rest();
      world.alive.delete(dying.name);
      await world.first.chat.repair();
      const open = openQuestions();
      expect([steps, open]).toEqual([steps, await awaited(id)]);
      if (ended === 'ended') {
        expect((await world.session(id)).messages[1]).toMatchObject({
          state: 'Complete',
          toolCalls: [{ status: 'Succeeded' }, {}],
        });
        break;
      }
      await goOn(id);
      expect([steps, openQuestions()]).toEqual([steps, await awaited(id)]);
      if (openQuestions().length > 0) await world.first.chat.stop(world.tenantId, id);
    }
  },
);
