// Receipts: pings mark places, one at a time, and what may be on the way is bounded whatever the client answers.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Receipts, unreadBytes } from './receipts.ts';

test('a client that never answers is sent no more than the bound, and pinged once', () => {
  let pings = 0;
  const receipts = new Receipts(() => pings++);
  let sent = 0;
  for (; !receipts.full; sent += 1000) receipts.sent(1000);
  expect(sent).toBeGreaterThanOrEqual(unreadBytes);
  expect(sent).toBeLessThan(unreadBytes + 1000);
  expect(pings).toBe(1);
});

test('a heartbeat is no second ping while one is out', () => {
  let pings = 0;
  const receipts = new Receipts(() => pings++);
  receipts.mark();
  receipts.mark();
  expect(pings).toBe(1);
  receipts.read();
  receipts.mark();
  expect(pings).toBe(2);
});

test('a client that reads everything is never held back for good, and what it has not read stays bounded', () => {
  const steps = fc.array(fc.oneof(fc.integer({ min: 1, max: 70_000 }), fc.constant('read' as const)), {
    maxLength: 200,
  });
  fc.assert(
    fc.property(steps, (taken) => {
      /** How much had been sent when each ping left. */
      const pings: number[] = [];
      let sent = 0;
      let read = 0;
      const receipts = new Receipts(() => pings.push(sent));
      const answer = () => {
        const at = pings.shift();
        if (at === undefined) return;
        read = at;
        receipts.read();
      };
      for (const step of taken) {
        if (step === 'read') answer();
        else if (!receipts.full) {
          sent += step;
          receipts.sent(step);
        }
        expect(pings.length).toBeLessThanOrEqual(1);
        expect(sent - read).toBeLessThan(unreadBytes + 70_000);
        if (receipts.full) expect(pings).toHaveLength(1);
      }
      while (pings.length > 0) answer();
      expect(receipts.full).toBe(false);
    }),
  );
});
