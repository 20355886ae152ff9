import { expect, it } from 'vitest';
import { openTestDb } from '../../test/support/embedded-db.ts';
import { defineCollection } from '../ports/db.ts';
import { whereFilled } from './filled-briefs.ts';

interface Note {
  _id: number;
  tenantId: number;
  text: string;
}
const notes = defineCollection<Note>({ name: 'notes', indexes: [{ keys: { tenantId: 1 } }] });
const others = defineCollection<Note>({ name: 'others', indexes: [{ keys: { tenantId: 1 } }] });

async function setUp(counted: boolean) {
  const db = openTestDb();
  await db.ensureIndexes([notes, others]);
  let asked = 0;
  const brief = whereFilled(
    counted ? db : { collection: db.collection },
    [notes, others],
    async ({ tenantId }: { tenantId: number }) => {
      asked++;
      const [one] = await db.collection(notes).find({ tenantId }).toArray();
      return one?.text ?? null;
    },
  );
  return { db, brief, asked: () => asked };
}

it('a tenant without documents is not asked for, and each write is seen at once', async () => {
  const { db, brief, asked } = await setUp(true);
  expect(await brief({ tenantId: 1 })).toBeNull();
  expect(asked()).toBe(0);
  await db.collection(notes).insertOne({ _id: 1, tenantId: 1, text: 'hello' });
  expect(await brief({ tenantId: 1 })).toBe('hello');
  expect(await brief({ tenantId: 2 })).toBeNull();
  expect(asked()).toBe(1);
  await db.collection(notes).updateOne({ _id: 1 }, { $set: { text: 'again' } });
  expect(await brief({ tenantId: 1 })).toBe('again');
  await db.collection(notes).deleteOne({ _id: 1 });
  expect(await brief({ tenantId: 1 })).toBeNull();
  expect(asked()).toBe(2);
  await db.collection(others).insertOne({ _id: 7, tenantId: 1, text: 'of another kind' });
  await brief({ tenantId: 1 });
  expect(asked()).toBe(3);
});

it('where changes are not counted, each time is asked', async () => {
  const { brief, asked } = await setUp(false);
  await brief({ tenantId: 1 });
  await brief({ tenantId: 1 });
  expect(asked()).toBe(2);
});
