import { expect, it } from 'vitest';
import { openTestDb } from '../../../test/support/embedded-db.ts';
import { contains, defineCollection } from '../../ports/db.ts';
import { foldText } from './texts.ts';

interface Note {
  _id: number;
  tenantId: number;
  text: string | null;
}

const day = { per: { path: '_id', ms: 1000 }, by: ['tenantId'], sums: [] };
const notes = defineCollection<Note>({
  name: 'notes',
  indexes: [{ keys: { tenantId: 1 } }],
  texts: ['text'],
  rollups: [day],
});

it('folds letters as patterns do', () => {
  const letters = Array.from({ length: 0x2fff }, (_, code) => String.fromCodePoint(code)).filter((one) =>
    /\p{L}/u.test(one),
  );
  for (const letter of letters) {
    const like = foldText(letter);
    expect(new RegExp(`^${like}$`, 'iu').test(letter), letter).toBe(true);
    for (const other of [letter.toUpperCase(), letter.toLowerCase()]) {
      const isSame = other.length === 1 && new RegExp(`^${letter}$`, 'iu').test(other);
      expect(foldText(other) === like, `${letter} ${other}`).toBe(isSame);
    }
  }
});

it('finds parts of texts in any case, few and many, as they change', async () => {
  const db = openTestDb();
  await db.ensureIndexes([notes]);
  const words = ['Nightly build', 'ÄRGER mit Öl', 'say "yes"', 'a.b*c', 'Straße', 'ﬁnal ΣΊΣΥΦΟΣ', 'x'];
  const all = Array.from({ length: 2400 }, (_, at) => ({
    _id: at + 1,
    tenantId: at % 100 === 0 ? 2 : 1,
    text: at % 50 === 7 ? null : `${words[at % words.length]} ${at}`,
  }));
  const collection = db.collection(notes);
  await collection.insertMany(all);
  await collection.updateOne({ _id: 5 }, { $set: { text: 'Quite another Nightly BUILD' } });
  await collection.deleteOne({ _id: 1 });
  const now = await collection.find({}).toArray();
  for (const q of [
    'nightly',
    'ärger',
    '"YES"',
    'a.b*C',
    'STRASSE',
    'straße',
    'σίσυφοσ',
    'zeppelin',
    ' 12',
    'X',
    'ly BUI',
    '7',
  ]) {
    const pattern = new RegExp(contains(q), 'iu');
    const wanted = now
      .filter(({ tenantId, text }) => tenantId === 1 && text !== null && pattern.test(text))
      .map(({ _id }) => _id);
    const filter = { tenantId: 1, text: { $regex: contains(q), $options: 'i' as const } };
    const found = await collection.find(filter, { sort: { _id: 1 }, limit: 5 }).toArray();
    expect(
      found.map(({ _id }) => _id),
      q,
    ).toEqual(wanted.slice(0, 5));
    expect(await collection.countDocuments(filter), q).toBe(wanted.length);
  }
  await collection.deleteMany({ tenantId: 2 });
  const count = (await collection.find({}).toArray()).filter(({ text }) =>
    text?.toLowerCase().includes('nightly'),
  ).length;
  expect(await collection.countDocuments({ tenantId: 1, text: { $regex: 'nightly', $options: 'i' } })).toBe(count);
});
