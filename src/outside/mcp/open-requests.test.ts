import { AsyncLocalStorage } from 'node:async_hooks';
import { type Client, SdkErrorCode } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import { type Asked, openRequests } from './open-requests.ts';

/** Of no call: as what a program's stream brings. */
const outside = AsyncLocalStorage.snapshot();
const steps = () => new Promise((done) => setTimeout(done, 1));

/** A connection whose server asks whenever a test says so. */
function asked(sharesStream = false) {
  const handlers = new Map<string, (request: object, context: object) => unknown>();
  const client = { setRequestHandler: (name: string, handle: never) => void handlers.set(name, handle) };
  const clock = new SimulatedClock();
  const requests = openRequests(client as unknown as Client, {
    ...{ sampling: false, roots: async () => [], clock },
    sharesStream: () => sharesStream,
  });
  const ask = (message: string, signal = new AbortController().signal) => {
    const params = { message, mode: 'form', requestedSchema: { type: 'object', properties: {} } };
    return handlers.get('elicitation/create')?.({ method: 'elicitation/create', params }, { mcpReq: { signal } });
  };
  const carrier = { signal: new AbortController().signal, timeoutMs: 1000, waitMs: 60_000 };
  const accept = { action: 'accept' as const, content: {} };
  const goOn = ({ call, question }: Asked) => requests.goOn(call, { question, answer: accept }, carrier);
  return { requests, ask, carrier, clock, goOn, ...{ accept, cancel: { action: 'cancel' } } };
}
const wantsOf = (came: object) => (came as { asked: Asked }).asked;
const messageOf = ({ wish }: Asked) => wish.kind === 'form' && wish.form.message;

it.each([true, false])(
  'a question is of its own call, and the answer is too, where a stream is shared: %s',
  async (shared) => {
    const { requests, ask, carrier, goOn, accept } = asked(shared);
    const started: string[] = [];
    const call = (name: string) =>
      requests.begin(carrier, async () => {
        started.push(name);
        await null;
        // On a shared stream a question comes without the context of its call.
        return [name, await (shared ? outside(() => ask(`Is it ${name}?`)) : ask(`Is it ${name}?`))];
      });
    const [high, low] = (await Promise.all([call('high'), call('low')])).map(wantsOf) as [Asked, Asked];
    expect([messageOf(high), messageOf(low)]).toEqual(['Is it high?', 'Is it low?']);
    expect(await goOn(low)).toEqual({ result: ['low', accept], told: [] });
    expect(await goOn(high)).toEqual({ result: ['high', accept], told: [] });
    expect(started).toEqual(['high', 'low']);
  },
);

it('time for which it waits for people does not count, all else does', async () => {
  const { requests, ask, carrier, goOn, clock } = asked();
  const work = async (stop: AbortSignal) => {
    await ask('Well?');
    return new Promise((_, reject) => stop.addEventListener('abort', () => reject(stop.reason)));
  };
  const question = wantsOf(await requests.begin(carrier, work));
  const held = requests.held(question.call, question.question);
  await clock.advance(50_000);
  expect(held?.over.aborted).toBe(false);
  const slow = goOn(question);
  slow.catch(() => {});
  await steps();
  await clock.advance(1000);
  await expect(slow).rejects.toMatchObject({ code: SdkErrorCode.RequestTimeout });
});

it('what is lost with its stream, taken back, or of nobody any more is over', async () => {
  const { requests, ask, carrier, clock, goOn, cancel } = asked();
  const streams: (ReturnType<typeof requests.current> | undefined)[] = [];
  const told: unknown[] = [];
  const back = new AbortController();
  const begin = async (signal?: AbortSignal) => {
    const work = async (stop: AbortSignal) => {
      streams.push(requests.current());
      told.push(await ask('Well?', signal));
      await new Promise((done) => stop.addEventListener('abort', done));
      return 'here';
    };
    const question = wantsOf(await requests.begin(carrier, work));
    return { question, held: requests.held(question.call, question.question) };
  };
  const lost = await begin();
  streams[0]?.lost();
  await expect.poll(() => lost.held?.over.aborted).toBe(true);
  expect(requests.holds(lost.question.call)).toBe(false);
  await expect(goOn(lost.question)).rejects.toMatchObject({ code: SdkErrorCode.ConnectionClosed });

  const taken = await begin(back.signal);
  back.abort();
  expect(taken.held?.over.aborted).toBe(true);
  expect(requests.holds(taken.question.call)).toBe(true);
  requests.abandon(taken.question.call);

  const late = await begin();
  const quiet = requests.quiet();
  await clock.advance(60_000 + 30_000);
  await steps();
  await quiet;
  expect(told.at(-1)).toEqual(cancel);
  expect(requests.holds(late.question.call)).toBe(false);
});

it('a call that fails holds up none that waits for its turn', async () => {
  const { requests, carrier } = asked(true);
  const failing = requests.begin(carrier, () => Promise.reject(new Error('gone')));
  const next = requests.begin(carrier, async () => 'here');
  await expect(failing).rejects.toThrow('gone');
  expect(await next).toMatchObject({ result: 'here' });
});

// Node 24 and later follow the context without being told, and at no cost.
it.skipIf(Number.parseInt(process.versions.node, 10) >= 24)(
  'the context is tracked while a call is open, and no longer',
  async () => {
    const { requests, carrier } = asked();
    let within = outside as <R>(look: () => R) => R;
    const seen = () => within(() => requests.current()) !== undefined;
    await requests.begin(carrier, async () => {
      within = AsyncLocalStorage.snapshot();
      expect(seen()).toBe(true);
    });
    // Each that went on being tracked would slow every promise of the process.
    expect(seen()).toBe(false);
  },
);
