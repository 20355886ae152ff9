// What a person leaves behind: nothing of what was theirs alone, and no name at what all use.
import { expect, it } from 'vitest';
import { openTestDb } from '../../../test/support/embedded-db.ts';
import { erasePromptsOf } from './erase.ts';
import { type PromptDoc, promptRecord, promptVersionRecord } from './record.ts';

it('erases private prompts with their texts, and takes the name from shared ones', async () => {
  const db = openTestDb();
  const prompts = db.collection(promptRecord.spec);
  const versions = db.collection(promptVersionRecord.spec);
  const save = async (_id: number, createdByUserId: number, isShared: boolean) => {
    const [createdAt, createdByName] = [new Date(0), `User ${createdByUserId}`];
    const by = { createdByUserId, createdByIdentityId: null, createdByName, writtenByName: createdByName };
    const plain = { tenantId: 1, name: 'p', command: 'p', description: null, tags: [], useCount: 0, lastUsedAt: null };
    const text = { text: `New ${_id}`, version: 3, writtenAt: createdAt, createdAt, updatedAt: createdAt };
    const commandKey = `${_id}`;
    await prompts.insertOne({ _id, guid: commandKey, commandKey, isShared, ...plain, ...by, ...text } as PromptDoc);
    for (const [version, writtenByName] of [
      [1, createdByName],
      [2, 'Somebody'],
    ] as const) {
      const former = { tenantId: 1, promptId: _id, version, text: `Old ${version}`, writtenByName, createdAt };
      await versions.insertOne({ _id: 10 * _id + version, ...former });
    }
  };
  await save(1, 5, false);
  await save(2, 5, true);
  await save(3, 6, false);
  await erasePromptsOf(db, { tenantId: 1, userId: 5 });
  const kept = await prompts.find({}, { sort: { _id: 1 } }).toArray();
  expect(kept.map((one) => [one._id, one.createdByName, one.writtenByName])).toEqual([
    [2, 'Closed account', 'Closed account'],
    [3, 'User 6', 'User 6'],
  ]);
  const texts = await versions.find({}, { sort: { _id: 1 } }).toArray();
  expect(texts.map((one) => [one._id, one.writtenByName])).toEqual([
    [21, 'Closed account'],
    [22, 'Somebody'],
    [31, 'User 6'],
    [32, 'Somebody'],
  ]);
});
