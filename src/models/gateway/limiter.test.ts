import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import type { ProviderLimits, Target } from '../providers/target.ts';
import { createLimiter } from './limiter.ts';

const target = (limits: ProviderLimits, maxConcurrency?: number): Target => ({
  modelId: 'a:b',
  modelName: 'b',
  provider: { key: 'a', name: 'A', kind: 'openai-compatible', limits },
  price: null,
  maxConcurrency,
});
const never = new AbortController().signal;

it('lets in as many as there are places, the others in order', async () => {
  const limiter = createLimiter(new SimulatedClock());
  const narrow = target({ maxConcurrency: 2 });
  const done: number[] = [];
  const permits = await Promise.all([1, 2].map(() => limiter.acquire(narrow, 0, 1_000, never)));
  const later = [3, 4].map(async (name) => {
    const permit = await limiter.acquire(narrow, 0, 1_000, never);
    done.push(name);
    return permit;
  });
  expect(limiter.waiting('a')).toBe(2);
  permits[0]?.release(0);
  await later[0];
  expect(done).toEqual([3]);
  permits[1]?.release(0);
  await later[1];
  expect(done).toEqual([3, 4]);
});

it('gives up after its patience, or when it is cancelled, and frees nothing twice', async () => {
  const clock = new SimulatedClock();
  const limiter = createLimiter(clock);
  const narrow = target({ maxConcurrency: 1 });
  const first = await limiter.acquire(narrow, 0, 1_000, never);
  const impatient = limiter.acquire(narrow, 0, 1_000, never);
  impatient.catch(() => {});
  await clock.advance(1_000);
  await expect(impatient).rejects.toMatchObject({ code: 'CONCURRENCY_LIMITED' });
  const controller = new AbortController();
  const cancelled = limiter.acquire(narrow, 0, 1_000, controller.signal);
  controller.abort(new Error('enough'));
  await expect(cancelled).rejects.toThrow('enough');
  first.release(0);
  (await limiter.acquire(narrow, 0, 0, never)).release(0);
});

it('spreads requests over the minute and says how long to wait', async () => {
  const clock = new SimulatedClock();
  const limiter = createLimiter(clock);
  const slow = target({ requestsPerMinute: 2 });
  for (let i = 0; i < 2; i++) (await limiter.acquire(slow, 0, 0, never)).release(0);
  await expect(limiter.acquire(slow, 0, 10_000, never)).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    retryAfterSeconds: 30,
  });
  const patient = limiter.acquire(slow, 0, 60_000, never);
  await clock.advance(30_000);
  (await patient).release(0);
});

it('counts tokens as they were really used', async () => {
  const clock = new SimulatedClock();
  const limiter = createLimiter(clock);
  const slow = target({ tokensPerMinute: 1_000 });
  (await limiter.acquire(slow, 600, 0, never)).release(100);
  (await limiter.acquire(slow, 900, 0, never)).release(900);
  await expect(limiter.acquire(slow, 500, 0, never)).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    retryAfterSeconds: 30,
  });
  await clock.advance(30_000);
  (await limiter.acquire(slow, 500, 0, never)).release(500);
});

it('lets one call through that alone is larger than the limit', async () => {
  const limiter = createLimiter(new SimulatedClock());
  (await limiter.acquire(target({ tokensPerMinute: 100 }), 5_000, 0, never)).release(5_000);
});

it('never has more running than places, whatever the order of ends, cancellations and time', () =>
  fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 3 }),
      fc.array(fc.constantFrom('ask', 'end', 'cancel', 'wait'), { maxLength: 60 }),
      async (places, steps) => {
        const clock = new SimulatedClock();
        const limiter = createLimiter(clock);
        const running: { release(tokens: number): void }[] = [];
        const asking: AbortController[] = [];
        for (const step of steps) {
          if (step === 'ask') {
            const controller = new AbortController();
            asking.push(controller);
            limiter.acquire(target({ maxConcurrency: places }), 0, 5_000, controller.signal).then(
              (permit) => running.push(permit),
              () => {},
            );
          } else if (step === 'end') running.shift()?.release(0);
          else if (step === 'cancel') asking.shift()?.abort(new Error('enough'));
          await clock.advance(step === 'wait' ? 3_000 : 0);
          expect(running.length).toBeLessThanOrEqual(places);
        }
        await clock.advance(10_000);
        for (const permit of running) permit.release(0);
        await limiter.acquire(target({ maxConcurrency: places }), 0, 0, never);
      },
    ),
    { numRuns: 50 },
  ));
