// Archives that are made to do harm, or are broken: each ends as Failed with what to do, and leaves nothing behind.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { chatGptConversation, spoken, zipOf } from '../../support/archives.ts';
import { hostileArchives, plain } from '../../support/hostile-archives.ts';
import { importsOf } from '../../support/imports.ts';
import { startTestServer, type TestServer } from '../../support/test-server.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

it.each(Object.entries(hostileArchives))('%s ends as Failed', async (_, [make, message]) => {
  const { read, review, call, data } = importsOf(server);
  const done = await read(await make());
  expect(done).toMatchObject({
    statusId: 'Failed',
    errorMessage: expect.stringMatching(message),
    conversationCount: 0,
  });
  expect(readdirSync(join(server.config.dataDir, 'imports'))).toEqual([]);
  expect(await review(done.id)).toMatchObject({ conversations: [], items: [] });
  // One that has failed may come again, and goes.
  await data(call('DELETE', `/${done.id}`));
});

it('names do no harm that mean something to JavaScript', async () => {
  const { read, review } = importsOf(server);
  const odd = plain.replace(
    '"title":"Fine"',
    '"title":"Fine","__proto__":{"polluted":true},"constructor":{"prototype":1}',
  );
  const done = await read(await zipOf({ 'conversations.json': odd }));
  expect((await review(done.id)).conversations).toMatchObject([{ title: 'Fine', messageCount: 2 }]);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
});

it('messages that are too large are cut, which the report says, and the others are read', async () => {
  const { read, review } = importsOf(server);
  const large = chatGptConversation('c2', 'Large', spoken(...Array.from({ length: 4 }, () => 'x'.repeat(2 ** 20))));
  const done = await read(Buffer.from(`[${JSON.stringify(large)},${plain.slice(1)}`), {}, 'conversations.json');
  expect(done).toMatchObject({ statusId: 'ReadyForReview', conversationCount: 2 });
  const { skipped } = await review(done.id);
  expect(skipped).toContainEqual(expect.objectContaining({ reason: expect.stringMatching(/^messages cut to/) }));
});
