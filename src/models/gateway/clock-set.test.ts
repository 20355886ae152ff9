// The machine's clock is set while models are called: what is a duration goes on as if nothing had happened.
import { expect, it } from 'vitest';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import { createHealth } from './health.ts';
import { createLimiter } from './limiter.ts';
import { createWatchdog } from './watchdog.ts';

const hour = 3_600_000;
const jumps = [-24 * hour, -hour, 24 * hour];

it.each(jumps)('a silent provider is given up in its time, the clock set by %d ms', async (jump) => {
  const clock = new SimulatedClock();
  const expired: number[] = [];
  const dog = createWatchdog(clock, (limit) => expired.push(limit));
  dog.wait(1000);
  await clock.advance(500);
  // A second wait has the timer look at the deadline again when it fires.
  dog.wait(1000);
  clock.jump(jump);
  await clock.advance(999);
  expect(expired).toEqual([]);
  await clock.advance(1);
  expect(expired).toEqual([1000]);
});

it.each(jumps)('a limit a minute lets in as many as before, the clock set by %d ms', async (jump) => {
  const clock = new SimulatedClock();
  const limiter = createLimiter(clock);
  const provider = { key: 'a', name: 'A', kind: 'openai-compatible' as const, limits: { requestsPerMinute: 2 } };
  const target = { modelId: 'a:b', modelName: 'b', provider, price: null };
  const ask = () => limiter.acquire(target, 0, 0, new AbortController().signal);
  (await ask()).release(0);
  clock.jump(jump);
  (await ask()).release(0);
  await expect(ask()).rejects.toMatchObject({ code: 'RATE_LIMITED', retryAfterSeconds: 30 });
  await clock.advance(30_000);
  (await ask()).release(0);
});

it.each(jumps)('an open circuit admits a probe in its time, the clock set by %d ms', async (jump) => {
  const clock = new SimulatedClock();
  const health = createHealth(clock);
  const measure = { latencyMs: 5, firstTokenMs: null, completionTokens: 0 };
  health.fail(['p', 'p/m'], measure, 'down', { circuitFailureThreshold: 1, circuitOpenMs: 60_000 }, null);
  clock.jump(jump);
  expect(health.snapshot('p')).toMatchObject({ calls: 1, lastCheckedAt: clock.now() });
  expect(health.snapshot('p').circuitOpenUntil).toBe(clock.now() + 60_000);
  await clock.advance(59_999);
  expect(health.admit('p')).toBe(false);
  await clock.advance(1);
  expect(health.admit('p')).toBe(true);
});
