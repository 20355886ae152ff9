import { describe, expect, it } from 'vitest';
import { Fault } from '../kernel/fault.ts';
import { SimulatedClock } from '../kernel/simulated-clock.ts';
import { createRateLimiter } from './rate-limit.ts';

function limiter(names?: number) {
  const clock = new SimulatedClock();
  const limit = createRateLimiter({ limit: { perSecond: 2, burst: 3 }, clock, ...(names ? { names } : {}) });
  const refused = (act: () => void) => {
    try {
      act();
      return null;
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      return { code: error.code, seconds: error.retryAfterSeconds };
    }
  };
  return { clock, limit, take: (name = 'a') => refused(() => limit.take(name)), refused };
}

describe('rate limiter', () => {
  it('lets a burst through, then as many as are earned', async () => {
    const { clock, take } = limiter();
    expect([take(), take(), take()]).toEqual([null, null, null]);
    expect(take()).toEqual({ code: 'RATE_LIMITED', seconds: 1 });
    await clock.advance(500);
    expect([take(), take()?.code]).toEqual([null, 'RATE_LIMITED']);
    await clock.advance(60_000);
    expect([take(), take(), take(), take()?.code]).toEqual([null, null, null, 'RATE_LIMITED']);
  });

  it('earns by the time that passes, whatever becomes of the clock', async () => {
    const { clock, take } = limiter();
    expect([take(), take(), take()]).toEqual([null, null, null]);
    clock.jump(3_600_000);
    expect(take()?.code).toBe('RATE_LIMITED');
    clock.jump(-7_200_000);
    await clock.advance(500);
    expect([take(), take()?.code]).toEqual([null, 'RATE_LIMITED']);
  });

  it('has limits of each name, which may change', async () => {
    const clock = new SimulatedClock();
    const perMinute = new Map([['7', 2]]);
    const limit = createRateLimiter({
      clock,
      limit: (name) => ({ perSecond: (perMinute.get(name) ?? 0) / 60, burst: perMinute.get(name) ?? 0 }),
      refusal: (name, seconds) => ({ message: `Not ${name}.`, hint: `In ${seconds} s.` }),
    });
    limit.take('7');
    limit.take('7');
    expect(() => limit.take('7')).toThrow(expect.objectContaining({ message: 'Not 7.', hint: 'In 30 s.' }));
    // A raised limit acts at once, and a lowered one is waited for no longer than twice its burst takes.
    perMinute.set('7', 60);
    for (let i = 0; i < 58; i++) limit.take('7');
    expect(() => limit.take('7')).toThrow(expect.objectContaining({ hint: 'In 1 s.' }));
    await clock.advance(1000);
    limit.take('7');
    perMinute.set('7', 6);
    expect(() => limit.take('7')).toThrow(expect.objectContaining({ hint: 'In 70 s.' }));
    await clock.advance(70_000);
    limit.take('7');
    expect(() => limit.take('7')).toThrow('Not 7.');
  });

  it('keeps names apart and forgets the oldest', () => {
    const { take } = limiter(1);
    expect([take('a'), take('a'), take('a'), take('a')?.code]).toEqual([null, null, null, 'RATE_LIMITED']);
    expect(take('b')).toBeNull();
    expect(take('a')).toBeNull();
  });

  it('looks without counting', () => {
    const { limit, take, refused } = limiter();
    for (let i = 0; i < 10; i++) expect(refused(() => limit.check('a'))).toBeNull();
    expect([take(), take(), take()]).toEqual([null, null, null]);
    expect(refused(() => limit.check('a'))).toEqual({ code: 'RATE_LIMITED', seconds: 1 });
  });

  it('counts what was let through elsewhere', async () => {
    const { clock, limit, take } = limiter();
    limit.owe('a', 2);
    expect([take(), take()]).toEqual([null, { code: 'RATE_LIMITED', seconds: 1 }]);
    limit.owe('a', 1000);
    expect(take()).toEqual({ code: 'RATE_LIMITED', seconds: 2 });
    await clock.advance(2000);
    expect([take(), take()?.code]).toEqual([null, 'RATE_LIMITED']);
  });
});
