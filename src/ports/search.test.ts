// What a kind proposes is narrowed before it is counted, so that a full list of others hides nothing.
import { expect, it } from 'vitest';
import { openTestDb } from '../../test/support/embedded-db.ts';
import { defineCollection } from './db.ts';
import { holding, type Sought } from './search.ts';

interface Note {
  _id: number;
  projectId: number | null;
  writerId: number | null;
  text: string;
}
const notes = defineCollection<Note>({ name: 'notes', indexes: [], texts: ['text'] });
const places = { projectId: 'projectId', identityId: 'writerId' } as const;

it.each([
  ['pier', [0, 1, 2, 3]],
  ['pier lights', [1]],
  ['at', [0, 1, 2, 3]],
])('finds %j in a project or of an identity, however much of others is newer', async (question, numbers) => {
  const db = openTestDb();
  await db.ensureIndexes([notes]);
  const all = db.collection(notes);
  for (let n = 0; n < 40; n++)
    await all.insertOne({
      _id: n + 1,
      projectId: n < 4 ? 7 : 8,
      writerId: n < 4 ? 1 : 2,
      text: n === 1 ? 'Lights at the pier' : 'At the pier',
    });
  const sought: Sought = {
    ...{ question, words: question.split(' ').sort((a, b) => b.length - a.length) },
    ...{ mode: 'Keyword', projectId: null, identityId: null, limit: 5 },
  };
  const ask = async (narrowed: Partial<Sought>) => {
    const how = { fields: ['text'] as const, within: {}, sort: { _id: -1 } as const, places };
    return (await holding(all, how, { ...sought, ...narrowed })).map(({ _id }) => _id).sort();
  };
  const wanted = numbers.map((n) => n + 1);
  expect(await ask({ projectId: 7 })).toEqual(expect.arrayContaining(wanted));
  expect(await ask({ identityId: 1 })).toEqual(expect.arrayContaining(wanted));
  expect(await ask({ identityId: 1, projectId: 8 })).toEqual([]);
});
