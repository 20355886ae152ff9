import { expect, it } from 'vitest';
import type { Logger } from './logger.ts';
import { createRounds, finished } from './rounds.ts';
import { SimulatedClock } from './simulated-clock.ts';

it('works again and again, never twice at once, past failures, and ends with what is under way', async () => {
  const clock = new SimulatedClock();
  const logged: string[] = [];
  const log = { error: (_: object, text: string) => void logged.push(text) } as unknown as Logger;
  const rounds = createRounds({ clock, log });
  let finish = () => {};
  let began = 0;
  let done = 0;
  const work = async () => {
    if (++began === 1) throw new Error('no');
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    done++;
  };
  rounds.start({ name: 'the chats', everyMs: 100, work });
  await clock.advance(100);
  await expect.poll(() => logged).toEqual(['a round through the chats failed']);
  await clock.advance(100);
  await expect.poll(() => began).toBe(2);
  await clock.advance(500);
  expect(began).toBe(2);
  const closed = rounds.close();
  expect(done).toBe(0);
  finish();
  await closed;
  expect(done).toBe(1);
  await clock.advance(500);
  expect(began).toBe(2);
});

it('is not started again once its work says that all is done', async () => {
  const clock = new SimulatedClock();
  const rounds = createRounds({ clock, log: { error: () => {} } as unknown as Logger });
  let began = 0;
  const work = async () => (++began === 2 ? finished : undefined);
  rounds.start({ name: 'the chats', everyMs: 100, work });
  for (let turn = 0; turn < 5; turn++) await clock.advance(100);
  expect(began).toBe(2);
  await rounds.close();
});
