import { describe, expect, it } from 'vitest';
import { openTestDb } from '../../test/support/embedded-db.ts';
import { silentLogger as logger } from '../kernel/logger.ts';
import { SimulatedClock } from '../kernel/simulated-clock.ts';
import { defineCollection } from '../ports/db.ts';
import type { Claim, IdempotencyStore } from '../ports/idempotency.ts';
import { carriedOutOnce } from '../ports/once.ts';
import { createIdempotencyStore } from './idempotency.ts';
import { createIds } from './ids.ts';
import { withOwnDocuments } from './own-documents.ts';

const vault = { seal: (_: number, text: string) => text, open: (_: number, text: string) => text };

function open({ alone }: { alone: boolean }) {
  const clock = new SimulatedClock();
  const db = withOwnDocuments(openTestDb(undefined, clock));
  const process = () => createIdempotencyStore({ db, clock, logger, vault, alone });
  return {
    clock,
    db,
    process,
    notes: db.collection(defineCollection<{ _id: number; text: string }>({ name: 'notes' })),
  };
}

const claimed = async (store: IdempotencyStore) => {
  const claim = await store.claim('name', 'content');
  if (claim.state !== 'claimed') throw new Error(claim.state);
  return claim.attempt;
};
const stateOf = (claim: Promise<Claim>) => claim.then((one) => one.state);

/** What a promise brings while time goes by. */
async function meanwhile<T>(clock: SimulatedClock, promise: Promise<T>): Promise<T> {
  let isOver = false;
  const over = promise.finally(() => {
    isOver = true;
  });
  await expect
    .poll(async () => {
      await clock.advance(250);
      return isOver;
    })
    .toBe(true);
  return over;
}

describe('a claim', () => {
  it('holds while its process works, and gives its answer', async () => {
    const store = open({ alone: true }).process();
    const attempt = await claimed(store);
    expect(await stateOf(store.claim('name', 'content'))).toBe('running');
    expect(await stateOf(store.claim('name', 'other'))).toBe('mismatch');
    await attempt.complete({ status: 200, body: 'done' });
    expect(await store.claim('name', 'content')).toEqual({ state: 'done', answer: { status: 200, body: 'done' } });
  });

  it('of a dead process is taken over at once where one process has the store', async () => {
    const { process } = open({ alone: true });
    expect((await claimed(process())).scope.repeated).toBe(false);
    expect((await claimed(process())).scope.repeated).toBe(true);
  });

  it('of a process that says nothing any more is taken over after its lease elsewhere', async () => {
    const { process, clock } = open({ alone: false });
    const dead = process();
    await claimed(dead);
    await dead.close();
    expect((await meanwhile(clock, claimed(process()))).scope.repeated).toBe(true);
  });

  it.each([3_600_000, -3_600_000])('of a dead process whose clock was %d ms off is taken over as soon', async (off) => {
    const { process, clock } = open({ alone: false });
    const dead = process();
    clock.jump(off);
    await claimed(dead);
    await dead.close();
    clock.jump(-off);
    const began = clock.steady();
    expect((await meanwhile(clock, claimed(process()))).scope.repeated).toBe(true);
    expect(clock.steady() - began).toBeLessThan(10_000);
  });

  it('of a process that lives is left to it, whose clock is an hour behind', async () => {
    const { process, clock } = open({ alone: false });
    clock.jump(-3_600_000);
    await claimed(process());
    clock.jump(3_600_000);
    const repeat = process().claim('name', 'content');
    // What the other one renews by its own clock stays an hour behind.
    const back = clock.every(900, () => {
      clock.jump(-3_600_000);
      clock.after(200, () => clock.jump(3_600_000));
    });
    expect(await meanwhile(clock, stateOf(repeat))).toBe('running');
    back();
  });

  it('of a process that lives is left to it elsewhere', async () => {
    const { process, clock } = open({ alone: false });
    await claimed(process());
    expect(await meanwhile(clock, stateOf(process().claim('name', 'content')))).toBe('running');
  });

  it('gives its answer to a repeat that another process waits with, long before its lease ends', async () => {
    const { process, clock } = open({ alone: false });
    const attempt = await claimed(process());
    const began = clock.now();
    const repeat = process().claim('name', 'content');
    // Until it has found the claim and waits.
    await clock.advance(10);
    await attempt.complete({ status: 200, body: 'done' });
    const answer = { status: 200, body: 'done' };
    expect(await meanwhile(clock, repeat)).toEqual({ state: 'done', answer });
    expect(clock.now() - began).toBeLessThan(1000);
  });

  it('can be made again with other content when it failed, and when it has expired', async () => {
    const { process, clock } = open({ alone: true });
    const store = process();
    await (await claimed(store)).release();
    const attempt = await store.claim('name', 'other');
    expect(attempt.state).toBe('claimed');
    await clock.advance(25 * 3_600_000);
    expect(await stateOf(store.claim('name', 'third'))).toBe('claimed');
  });
});

describe('a repeat', () => {
  it('meets the documents of the attempt before it', async () => {
    const { process, db, notes } = open({ alone: true });
    const ids = createIds({ db });
    const write = async (text: string) => {
      const note = { _id: await ids.next('notes'), text };
      await notes.insertOne(note);
      return note;
    };
    const first = await carriedOutOnce((await claimed(process())).scope, () => write('first'));
    const store = process();
    const attempt = await claimed(store);
    expect(await carriedOutOnce(attempt.scope, () => write('again'))).toEqual(first);
    // A failure after the write leaves it to the next repeat.
    await attempt.release();
    expect(await carriedOutOnce((await claimed(store)).scope, () => write('once more'))).toEqual(first);
    expect(await notes.countDocuments()).toBe(1);
    expect(await write('of nobody')).not.toEqual(first);
  });

  it('stops an attempt that was taken for dead from taking more', async () => {
    const { process, db, clock } = open({ alone: false });
    const ids = createIds({ db });
    const slow = process();
    const { scope } = await claimed(slow);
    await slow.close();
    await meanwhile(clock, claimed(process()));
    await expect(carriedOutOnce(scope, () => ids.next('notes'))).rejects.toMatchObject({ code: 'CONFLICT' });
  });
});
