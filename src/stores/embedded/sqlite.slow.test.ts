import { statSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import Database from 'libsql';
import { expect, it, onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../../../test/support/embedded-db.ts';
import { Sqlite, type SyncLog } from './sqlite.ts';

function openWith(sync?: SyncLog): Sqlite {
  const sqlite = new Sqlite(join(temporaryFolder(), 'test.db'), sync);
  sqlite.exec('CREATE TABLE t (id PRIMARY KEY)');
  onTestFinished(() => sqlite.close());
  return sqlite;
}

/** A disk that finishes a sync when told to. */
function slowDisk() {
  const waiting: { finish: () => void; fail: (error: Error) => void }[] = [];
  const sync = () => new Promise<void>((finish, fail) => waiting.push({ finish, fail }));
  return { sync, waiting, started: (count: number) => expect.poll(() => waiting.length).toBe(count) };
}

const insert = (sqlite: Sqlite, id: number) => sqlite.write(() => sqlite.run('INSERT INTO t VALUES (?)', [id]));
const count = (sqlite: Sqlite) => sqlite.get('SELECT count(*) FROM t')![0];

it('one row is read by what it was asked for, also after all rows of another question were read by the same SQL', async () => {
  const sqlite = openWith();
  await insert(sqlite, 1);
  const sql = 'SELECT id FROM t WHERE id = ?';
  expect(sqlite.all(sql, [1])).toEqual([[1]]);
  expect(sqlite.get(sql, [2])).toBeUndefined();
  expect(sqlite.get(sql, [1])).toEqual([1]);
  expect(sqlite.all(sql, [2])).toEqual([]);
});

it('a write resolves when the disk has it, not before', async () => {
  const disk = slowDisk();
  const sqlite = openWith(disk.sync);
  let resolved = false;
  const write = insert(sqlite, 1).then(() => {
    resolved = true;
  });
  await disk.started(1);
  expect(count(sqlite)).toBe(1);
  expect(resolved).toBe(false);
  disk.waiting[0]!.finish();
  await write;
});

it('writes during a sync are covered by the next one only', async () => {
  const disk = slowDisk();
  const sqlite = openWith(disk.sync);
  const order: string[] = [];
  const first = insert(sqlite, 1).then(() => order.push('first'));
  await disk.started(1);
  const second = [2, 3, 4].map((id) => insert(sqlite, id).then(() => order.push('second')));
  await expect.poll(() => count(sqlite)).toBe(4);
  disk.waiting[0]!.finish();
  await first;
  await disk.started(2);
  expect(order).toEqual(['first']);
  disk.waiting[1]!.finish();
  await Promise.all(second);
  expect(disk.waiting).toHaveLength(2);
});

it('after a failed sync nothing more is promised', async () => {
  const disk = slowDisk();
  const sqlite = openWith(disk.sync);
  const writes = [insert(sqlite, 1), insert(sqlite, 2)].map((write) =>
    expect(write).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' }),
  );
  await disk.started(1);
  disk.waiting[0]!.fail(new Error('EIO'));
  await Promise.all(writes);
  await expect(insert(sqlite, 3)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  expect(() => count(sqlite)).toThrow('disk failed');
});

it('a failing write rolls back alone', async () => {
  const sqlite = openWith();
  const twice = () =>
    sqlite.write(() =>
      sqlite.atomic(() => {
        sqlite.run('INSERT INTO t VALUES (10)');
        sqlite.run('INSERT INTO t VALUES (1)');
      }),
    );
  const results = await Promise.allSettled([insert(sqlite, 1), twice(), insert(sqlite, 1), insert(sqlite, 2)]);
  expect(results.map((one) => one.status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
  expect(sqlite.all('SELECT id FROM t ORDER BY id')).toEqual([[1], [2]]);
});

it('writes of one batch come out as one after the other, whichever fail', async () => {
  const write = fc.record({ ids: fc.array(fc.nat(12), { minLength: 1, maxLength: 4 }), repeatable: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(fc.array(write, { minLength: 1, maxLength: 8 }), async (writes) => {
      const sqlite = new Sqlite(join(temporaryFolder(), 'test.db'), null);
      sqlite.exec('CREATE TABLE t (id PRIMARY KEY)');
      const made = writes.map(({ ids, repeatable }) => {
        const put = () => ids.map((id) => sqlite.run('INSERT INTO t VALUES (?)', [id])).length;
        return sqlite.write(ids.length > 1 ? () => sqlite.atomic(put) : put, { repeatable });
      });
      const results = await Promise.allSettled(made);
      const kept = new Set<number>();
      const expected = writes.map(({ ids }) => {
        const fits = new Set(ids).size === ids.length && !ids.some((id) => kept.has(id));
        if (fits) for (const id of ids) kept.add(id);
        return fits ? 'fulfilled' : 'rejected';
      });
      expect(results.map((one) => one.status)).toEqual(expected);
      expect(sqlite.all('SELECT id FROM t ORDER BY id').flat()).toEqual([...kept].sort((a, b) => a - b));
      await sqlite.close();
    }),
    { numRuns: 60 },
  );
});

it('a failure within a write is undone, also when the write goes on', async () => {
  const sqlite = openWith();
  const write = sqlite.write(() => {
    try {
      sqlite.atomic(() => {
        sqlite.run('INSERT INTO t VALUES (1)');
        sqlite.run('INSERT INTO t VALUES (1)');
      });
    } catch {
      sqlite.run('INSERT INTO t VALUES (2)');
    }
  });
  await Promise.all([write, insert(sqlite, 3)]);
  expect(sqlite.all('SELECT id FROM t ORDER BY id')).toEqual([[2], [3]]);
});

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

it('a patient write waits for another one, whose commit it shares', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const sqlite = openWith();
  const patient = (id: number) => sqlite.write(() => sqlite.run('INSERT INTO t VALUES (?)', [id]), { patient: true });
  const first = patient(1);
  await turn();
  await turn();
  expect(count(sqlite)).toBe(0);
  await insert(sqlite, 2);
  await first;
  expect(sqlite.all('SELECT id FROM t')).toEqual([[1], [2]]);
  const alone = patient(3);
  vi.advanceTimersByTime(20);
  await alone;
  expect(count(sqlite)).toBe(3);
  const last = patient(4);
  await sqlite.close();
  await last;
});

it.each([false, true])('a slow batch is cut, and the rest follows in order, patient: %s', async (patient) => {
  const sqlite = openWith();
  const order: number[] = [];
  const slow = (id: number) =>
    sqlite.write(
      () => {
        const end = performance.now() + 3;
        while (performance.now() < end);
        order.push(id);
      },
      { patient },
    );
  await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(slow));
  expect(order).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
});

it('close waits for what is pending and refuses what comes later', async () => {
  const disk = slowDisk();
  const sqlite = openWith(disk.sync);
  let closed = false;
  const write = insert(sqlite, 1);
  const close = sqlite.close().then(() => {
    closed = true;
  });
  await expect(insert(sqlite, 2)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
  await disk.started(1);
  expect(closed).toBe(false);
  disk.waiting[0]!.finish();
  await write;
  await close;
});

it('a file that was made before files could shrink is made anew, and then gives space back', async () => {
  const path = join(temporaryFolder(), 'old.db');
  const old = new Database(path);
  old.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (id PRIMARY KEY, text); INSERT INTO t VALUES (0, 'kept')");
  old.close();
  const sqlite = new Sqlite(path);
  onTestFinished(() => sqlite.close());
  expect([sqlite.makeShrinkable(), sqlite.makeShrinkable()]).toEqual([true, false]);
  const text = 'x'.repeat(2000);
  await sqlite.write(() => {
    for (let id = 1; id <= 5000; id++) sqlite.run('INSERT INTO t VALUES (?, ?)', [id, text]);
  });
  const full = sqlite.space().bytes;
  await sqlite.write(() => sqlite.run('DELETE FROM t WHERE id > 0'));
  await sqlite.reclaim();
  expect(statSync(path).size).toBeLessThan(full / 2);
  expect(sqlite.all('SELECT id, text FROM t')).toEqual([[0, 'kept']]);
});
