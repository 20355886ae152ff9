import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openTestDb } from '../../../test/support/embedded-db.ts';
import { recordStatements } from '../../../test/support/query-plans.ts';
import { contains, defineCollection, type Filter } from '../../ports/db.ts';

interface Note {
  _id: number;
  tenantId: number;
  name: string;
  text: string | null;
}

const notes = defineCollection<Note>({
  name: 'notes',
  indexes: [{ keys: { tenantId: 1 } }, { keys: { name: 1 }, unique: true }],
  texts: ['text'],
  rollups: [{ per: { path: '_id', ms: 1000 }, by: ['tenantId'], sums: [] }],
});
const holding = (part: string): Filter<Note> => ({ tenantId: 1, text: { $regex: contains(part), $options: 'i' } });
const parts = ['night', 'build', 'öl und', 'nig'];
const texts = [null, 'Nightly build', 'ÖL und Wasser', 'a night, a BUILD', 'nothing'];

it('counts stay those of a fresh count, whatever is written, refused and undone', async () => {
  const id = fc.integer({ min: 1, max: 8 });
  const text = fc.constantFrom(...texts);
  const step = fc.oneof(
    fc.record({ kind: fc.constant('insert' as const), id, text }),
    fc.record({ kind: fc.constant('set' as const), id, text }),
    fc.record({ kind: fc.constant('replace' as const), id, text }),
    fc.record({ kind: fc.constant('remove' as const), id, text }),
    fc.record({ kind: fc.constant('undone' as const), id, text }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const db = openTestDb();
      await db.ensureIndexes([notes]);
      const collection = db.collection(notes);
      for (const { kind, id: _id, text: held } of steps) {
        const note = { _id, tenantId: 1, name: `${_id % 5}`, text: held };
        if (kind === 'insert') await collection.insertOne(note).catch(() => null);
        if (kind === 'set') await collection.updateOne({ _id }, { $set: { text: held } });
        if (kind === 'replace') await collection.replaceOne({ _id }, note).catch(() => null);
        if (kind === 'remove') await collection.deleteOne({ _id });
        if (kind === 'undone')
          await db.together!((writer) => {
            writer.update(notes, { _id }, { $set: { text: held } });
            throw new Error('no');
          }).catch(() => null);
        const now = await collection.find({}).toArray();
        for (const part of parts) {
          const wanted = now.filter((one) => one.text?.toLowerCase().includes(part)).length;
          expect(await collection.countDocuments(holding(part))).toBe(wanted);
        }
      }
    }),
    { numRuns: 15 },
  );
}, 20_000);

it('a text is counted once, also while others are written', async () => {
  const db = openTestDb();
  await db.ensureIndexes([notes]);
  const collection = db.collection(notes);
  await collection.insertOne({ _id: 1, tenantId: 1, name: 'a', text: 'nightly' });
  expect(await collection.countDocuments(holding('night'))).toBe(1);
  const recorded = recordStatements();
  await collection.insertOne({ _id: 2, tenantId: 1, name: 'b', text: 'every night' });
  expect(await collection.countDocuments(holding('night'))).toBe(2);
  recorded.stop();
  expect([...recorded.statements].filter((sql) => sql.includes('MATCH'))).toEqual([]);
});
