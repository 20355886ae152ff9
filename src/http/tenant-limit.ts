// Requests a minute of each key and session, as its tenant allows them.
import { LRUCache } from 'lru-cache';
import type { Clock } from '../kernel/clock.ts';
import { Fault } from '../kernel/fault.ts';

interface Deps {
  clock: Clock;
  perMinute: (tenantId: number) => number;
}

const minuteMs = 60_000;

/** Counts in windows of a minute, on this node; each name begins its own with its first request. */
export function limitByPolicy({ clock, perMinute }: Deps): (tenantId: number, name: string) => void {
  const windows = new LRUCache<string, { until: number; count: number }>({ max: 10_000 });
  return (tenantId, name) => {
    const now = clock.steady();
    let window = windows.get(name);
    if (!window || window.until <= now) {
      window = { until: now + minuteMs, count: 0 };
      windows.set(name, window);
    }
    window.count += 1;
    const most = perMinute(tenantId);
    if (window.count <= most) return;
    const retryAfterSeconds = Math.ceil((window.until - now) / 1000);
    throw new Fault('RATE_LIMITED', `The tenant allows ${most} requests a minute of each key.`, {
      hint: `Try again in ${retryAfterSeconds} s, or change requestsPerMinutePerKey with PUT /api/tenant-policy.`,
      retryAfterSeconds,
    });
  };
}
