import { expect, it } from 'vitest';
import { openTestDb } from '../../../test/support/embedded-db.ts';
import { type ChatMessageDoc, type ChatSessionDoc, chatMessageSpec } from '../chat/documents.ts';
import { createShownBranch } from './branch.ts';

it('tells a branch in its order, also over messages of two nodes whose numbers are of different blocks', async () => {
  const db = openTestDb();
  await db.ensureIndexes([chatMessageSpec]);
  const said = [
    { _id: 1, parentId: null },
    { _id: 65, parentId: 1 },
    { _id: 2, parentId: 65 },
    { _id: 3, parentId: 65 },
    { _id: 66, parentId: 2 },
  ];
  for (const message of said)
    await db.collection(chatMessageSpec).insertOne({ ...message, tenantId: 1, sessionId: 7 } as ChatMessageDoc);
  const session = { _id: 7, tenantId: 1, activeMessageId: 66 } as ChatSessionDoc;
  const branch = createShownBranch({ db });
  const idsOf = async (which?: Parameters<typeof branch>[1]) => {
    const ids: number[] = [];
    for await (const { _id } of branch(session, which)) ids.push(_id);
    return ids;
  };
  expect(await idsOf()).toEqual([1, 65, 2, 66]);
  expect(await idsOf({ end: 3 })).toEqual([1, 65, 3]);
  expect(await idsOf({ all: true })).toEqual([1, 2, 3, 65, 66]);
});
