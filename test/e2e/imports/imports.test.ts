// An archive is read, reviewed, committed once, taken back as a whole, and discarded.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatGptConversation, claudeConversation, spoken, zipOf } from '../../support/archives.ts';
import { failure } from '../../support/failure.ts';
import { importsOf } from '../../support/imports.ts';
import { startTestServer, type TestServer } from '../../support/test-server.ts';

let server: TestServer;
let identityId: number;
beforeAll(async () => {
  server = await startTestServer();
  [{ id: identityId }] = (await server.call('GET', '/api/identities')).body.data.items;
});
afterAll(() => server.close());

const own = () => importsOf(server);
const call = (method: string, path: string, body?: unknown) => server.call(method, `/api${path}`, body);
const memoriesOf = async () =>
  (await call('GET', `/identities/${identityId}/memories?pageSize=200`)).body.data.items as {
    id: number;
    title: string;
    provenance: string;
  }[];
const archivesLeft = () => readdirSync(join(server.config.dataDir, 'imports'));

describe('an import', () => {
  it('is read, reviewed, committed once and taken back', async () => {
    const { data, read, review, call: at } = own();
    const done = await read(
      await zipOf({
        'conversations.json': [
          chatGptConversation('c1', 'Harbour of Lindau', spoken('When does the vermilion harbour close?', 'At nine.')),
          chatGptConversation('c2', 'With a key', spoken('My mail is anna.berger@example.org, keep it.', 'Kept.')),
          chatGptConversation('c3', 'Empty', []),
        ],
        'user.json': { id: 'user-1', email: 'somebody@example.org' },
        'picture.png': Buffer.from('no text'),
      }),
      { identityId: String(identityId) },
    );
    expect(done).toMatchObject({
      statusId: 'ReadyForReview',
      sourceProviderId: 'ChatGpt',
      detectedFormat: 'chatgpt-json',
      conversationCount: 2,
      messageCount: 4,
      skippedCount: 3,
      errorMessage: null,
      progressPercent: 100,
    });
    expect(archivesLeft()).toEqual([]);

    const first = await review(done.id);
    expect(first.conversations.map((one: object) => one)).toMatchObject([
      { title: 'Harbour of Lindau', approved: true, scrubFlagCount: 0, messageCount: 2 },
      { title: 'With a key', approved: false, scrubFlagCount: 1 },
    ]);
    expect(first.reach).toMatchObject({
      memoryCount: 1,
      knownMemoryCount: 0,
      factCount: 0,
      conflictCount: 0,
      flaggedCount: 0,
    });
    expect(first.skipped.map(({ reason }: { reason: string }) => reason).sort()).toEqual([
      'conversations without a message',
      'files that hold no conversations',
      'images and other files that are no conversations',
    ]);
    const flagged = await review(done.id, '?scrubFlaggedOnly=true');
    expect(flagged.conversations).toHaveLength(1);
    expect((await review(done.id, '?q=harbour')).conversations).toHaveLength(1);
    const detail = await data(at('GET', `/${done.id}/conversations/${flagged.conversations[0].id}`));
    expect(detail.messages[0]).toMatchObject({ role: 'user', scrubFlags: ['e-mail address'], sortOrder: 1 });

    const before = await memoriesOf();
    const [once, twice] = await Promise.all([1, 2].map(() => at('POST', `/${done.id}/commit`, { tags: ['history'] })));
    expect([once?.status, twice?.status].sort()).toEqual([200, 409]);
    const committed = await own().ended(done.id);
    expect(committed).toMatchObject({ statusId: 'Committed', memoryCount: 1 });
    const written = (await memoriesOf()).filter(({ id }) => !before.some((one) => one.id === id));
    expect(written).toMatchObject([{ title: 'Harbour of Lindau', provenance: 'Reported', tags: ['history'] }]);
    const found = async () =>
      (await call('GET', `/identities/${identityId}/memories/search?q=vermilion&mode=Keyword`)).body.data.results
        .length;
    expect(await found()).toBe(1);
    await failure(at('POST', `/${done.id}/commit`, {}), 409, 'INVALID_TRANSITION', /undo/);
    await failure(at('PATCH', `/${done.id}/review`, { approveAll: true }), 409, 'INVALID_TRANSITION');
    await failure(at('DELETE', `/${done.id}`), 409, 'INVALID_TRANSITION', /undo/);

    const undone = await data(at('POST', `/${done.id}/undo`, {}));
    expect(undone).toMatchObject({ statusId: 'ReadyForReview', memoryCount: 0, committedAtUtc: null });
    expect(await memoriesOf()).toEqual(before);
    expect(await found()).toBe(0);
    await failure(at('POST', `/${done.id}/undo`, {}), 409, 'INVALID_TRANSITION');

    // And again, with all of it.
    await data(at('PATCH', `/${done.id}/review`, { approveAll: true }));
    expect(await data(at('POST', `/${done.id}/commit`, {}))).toMatchObject({ statusId: 'Committed', memoryCount: 2 });
    await data(at('POST', `/${done.id}/undo`, {}));
    await data(at('DELETE', `/${done.id}`));
    await failure(at('GET', `/${done.id}`), 404, 'NOT_FOUND');
  });

  it('shows what is known already and what the project knows otherwise', async () => {
    const { data, read, review, call: at } = own();
    const projectId = 7;
    await call('POST', `/projects/${projectId}/facts`, { key: 'colour', value: 'blue' });
    await call('POST', `/projects/${projectId}/facts`, { key: 'size', value: 'large' });
    const archive = await zipOf({
      'portable.json': {
        atoms: [
          { kind: 'fact', key: 'colour', value: 'vermilion' },
          { kind: 'fact', key: 'size', value: 'large' },
          { kind: 'fact', key: 'depth', value: 'unfathomable' },
          { kind: 'memory', title: 'Tea', content: 'Likes tea with milk.' },
        ],
        artifacts: [],
      },
      'conversations.json': [claudeConversation('k1', 'Tea and milk', ['Which tea?', 'Assam.'])],
    });
    const one = await read(archive, { identityId: String(identityId), projectId: String(projectId) });
    expect(one).toMatchObject({ statusId: 'ReadyForReview', conversationCount: 1, itemCount: 4 });
    const { reach, items } = await review(one.id);
    expect(reach).toMatchObject({ memoryCount: 2, factCount: 2, knownFactCount: 1, conflictCount: 1 });
    expect(reach.conflicts).toMatchObject([{ key: 'colour', currentValue: 'blue', importedValue: 'vermilion' }]);
    const tea = items.find(({ title }: { title: string }) => title === 'Tea');
    const depth = items.find(({ key }: { key: string }) => key === 'depth');
    const said = { items: [{ id: tea.id, approved: true, content: 'Likes tea.' }] };
    // Answered is what was decided, with the counts of all.
    expect(await data(at('PATCH', `/${one.id}/review`, said))).toMatchObject({
      conversations: [],
      items: [{ id: tea.id, content: 'Likes tea.' }],
      conversationCount: 1,
      itemCount: 4,
      reach: { memoryCount: 2, factCount: 2 },
    });
    // Nothing is changed where one of those that are named is not there.
    const wrong = { items: [depth, { id: 999_999 }].map(({ id }) => ({ id, approved: false })) };
    await failure(at('PATCH', `/${one.id}/review`, wrong), 404, 'NOT_FOUND', /review/);
    expect((await review(one.id)).items.every(({ approved }: { approved: boolean }) => approved)).toBe(true);
    const { memoryCount } = await data(at('POST', `/${one.id}/commit`, {}));
    const { body } = await call('GET', `/projects/${projectId}/facts/by-key/colour`);
    expect(body.data).toMatchObject({ value: 'vermilion', provenance: 'Reported' });

    // Taken back, and committed again: what was taken back is written anew.
    const colour = async () => (await call('GET', `/projects/${projectId}/facts/by-key/colour`)).body.data.value;
    await data(at('POST', `/${one.id}/undo`, {}));
    expect(await colour()).toBe('blue');
    expect(await data(at('POST', `/${one.id}/commit`, {}))).toMatchObject({ memoryCount });
    expect(await colour()).toBe('vermilion');

    // The same again, as another archive: all of it is known.
    const again = await read(
      await zipOf({ 'conversations.json': [claudeConversation('k1', 'Tea and milk', ['Which tea?', 'Assam.'])] }),
      { identityId: String(identityId) },
    );
    expect((await review(again.id)).reach).toMatchObject({ memoryCount: 0, knownMemoryCount: 1 });
    await data(at('POST', `/${one.id}/undo`, {}));
    expect((await call('GET', `/projects/${projectId}/facts/by-key/colour`)).body.data).toMatchObject({
      value: 'blue',
    });
    expect((await call('GET', `/projects/${projectId}/facts/by-key/depth`)).status).toBe(404);
    expect((await review(again.id)).reach).toMatchObject({ memoryCount: 1, knownMemoryCount: 0 });
  });

  it('finds facts in what the person said, which a commit reports and an undo takes back', async () => {
    const { data, read, review, call: at } = own();
    const projectId = 8;
    const archive = await zipOf({
      'conversations.json': [
        chatGptConversation('x1', 'Moving', spoken('I live in Lindau. Ada works for Initech.', 'Bob works for Acme.')),
        chatGptConversation('x2', 'Secret', spoken('Carl works for Umbrella. Mail carl.jones@example.org.', 'Noted.')),
      ],
    });
    const fields = { identityId: String(identityId), projectId: String(projectId) };
    const one = await read(archive, { ...fields, extractFacts: 'true' });
    expect(one).toMatchObject({ conversationCount: 2, itemCount: 3 });
    const { items, conversations, reach } = await review(one.id);
    const [moving, secret] = conversations.map(({ id }: { id: number }) => id);
    expect(items).toMatchObject([
      { kind: 'Fact', key: 'user.located_in', content: 'Lindau', approved: true, sourceConversationId: moving },
      { kind: 'Fact', key: 'ada.works_for', content: 'Initech', approved: true, sourceConversationId: moving },
      // Left out with its conversation, which has an address.
      { kind: 'Fact', key: 'carl.works_for', content: 'Umbrella', approved: false, sourceConversationId: secret },
    ]);
    expect(reach).toMatchObject({ memoryCount: 1, factCount: 2 });
    const fact = async (key: string) => (await call('GET', `/projects/${projectId}/facts/by-key/${key}`)).body.data;
    expect(await data(at('POST', `/${one.id}/commit`, {}))).toMatchObject({ memoryCount: 1, factCount: 2 });
    expect(await fact('ada.works_for')).toMatchObject({ value: 'Initech', provenance: 'Reported' });
    expect(await fact('carl.works_for')).toBeNull();
    await data(at('POST', `/${one.id}/undo`, {}));
    expect([await fact('ada.works_for'), await fact('user.located_in')]).toEqual([null, null]);
    await data(at('DELETE', `/${one.id}`));
    // Without being asked for, nothing is found.
    expect(await read(archive, fields)).toMatchObject({ conversationCount: 2, itemCount: 0 });
  });

  it('of shards is one history, whatever their order', async () => {
    const { read, review } = own();
    const shard = (...names: string[]) =>
      names.map((name) => chatGptConversation(`shard ${name}`, name, spoken(`What of ${name}?`, 'Nothing.')));
    const done = await read(
      await zipOf({
        'chat.html': '<html><body>all of it again</body></html>',
        'conversations-001.json': shard('Third'),
        'conversations-000.json': shard('First', 'Second'),
        'conversations-002.json': [],
        'user.json': { id: 'u', email: 'somebody@example.org' },
        'message_feedback.json': [{ id: 'f', conversation_id: 'shard First', rating: 'thumbs_up' }],
        'file-abc/picture.png': Buffer.from('none'),
      }),
    );
    expect(done).toMatchObject({ sourceProviderId: 'ChatGpt', conversationCount: 3, messageCount: 6 });
    const { conversations } = await review(done.id);
    expect(conversations.map(({ title }: { title: string }) => title)).toEqual(['Third', 'First', 'Second']);
  });

  it('of a split export is one history, in one archive of archives or part by part', async () => {
    const { read, review } = own();
    const chats = (...names: string[]) =>
      names.map((name) => claudeConversation(`split ${name}`, name, ['So?', 'So.']));
    const memories = [{ conversations_memory: 'Sails on Sundays.', project_memories: {}, account_uuid: 'a' }];
    const projects = { 'projects/p-1.json': { uuid: 'p-1', name: 'Boat', prompt_template: 'Be brief.', docs: [] } };
    const parts = {
      'conversations-000.zip': await zipOf({ 'conversations.json': chats('One', 'Two') }),
      'conversations-001.zip': await zipOf({ 'conversations.json': chats('Three') }),
      'memories-000.zip': await zipOf({ 'memories.json': memories }),
      'projects-000.zip': await zipOf(projects),
    };
    const whole = await read(await zipOf({ ...parts, 'users.json': [{ uuid: 'a', full_name: 'Ada' }] }));
    expect(whole).toMatchObject({ sourceProviderId: 'Claude', conversationCount: 3, messageCount: 6, itemCount: 2 });
    const { items } = await review(whole.id);
    expect(items.map(({ content }: { content: string }) => content)).toEqual(['Sails on Sundays.', 'Be brief.']);
    for (const [name, counts] of [
      ['conversations-001.zip', { conversationCount: 1, itemCount: 0 }],
      ['memories-000.zip', { conversationCount: 0, itemCount: 1 }],
    ] as const)
      expect(await read(parts[name], {}, name)).toMatchObject({ statusId: 'ReadyForReview', ...counts });
  });

  it('is followed by its topic, from the upload to the commit', async () => {
    const { data, upload, call: at } = own();
    const archive = await zipOf({
      'conversations.json': [chatGptConversation('f1', 'Followed', spoken('Who is there?', 'It is me, the ferry.'))],
    });
    const { id } = await data(upload(archive, { identityId: String(identityId) }));
    const told: { statusId: string; conversationCount: number; memoryCount: number }[] = [];
    const signal = AbortSignal.timeout(30_000);
    for await (const { type, data: said } of server.client.stream(`import:${id}`, { cursor: '0', signal })) {
      if (type !== 'import.updated') continue;
      told.push(said as (typeof told)[number]);
      if (told.at(-1)?.statusId === 'Committed') break;
      if (told.at(-1)?.statusId === 'ReadyForReview') void at('POST', `/${id}/commit`, {});
    }
    const statuses = told.map(({ statusId }) => statusId).filter((one, index, all) => one !== all[index - 1]);
    expect(statuses).toEqual(['Parsing', 'Scrubbing', 'ReadyForReview', 'Committing', 'Committed']);
    expect(told.at(-1)).toMatchObject({ conversationCount: 1, memoryCount: 1 });
  });

  it('is asked for what it lacks', async () => {
    const { data, read, call: at, upload } = own();
    const facts = { atoms: [{ kind: 'fact', key: 'a', value: 'b' }], artifacts: [] };
    const bytes = Buffer.from(JSON.stringify(facts));
    const one = await read(bytes, {}, 'portable.json');
    await failure(at('POST', `/${one.id}/commit`, {}), 400, 'VALIDATION_FAILED', /identityId/);
    await failure(at('POST', `/${one.id}/commit`, { identityId }), 400, 'VALIDATION_FAILED', /projectId/);
    await failure(at('POST', `/${one.id}/commit`, { identityId: 999_999, projectId: 1 }), 404, 'NOT_FOUND');
    await failure(upload(bytes, {}, 'portable.json'), 409, 'DUPLICATE', new RegExp(`import/${one.id}`));
    await data(at('PATCH', `/${one.id}/review`, { rejectAll: true }));
    await failure(at('POST', `/${one.id}/commit`, { identityId }), 400, 'VALIDATION_FAILED', /Include something/);
    await data(at('DELETE', `/${one.id}`));
    expect((await read(bytes, {}, 'portable.json')).statusId).toBe('ReadyForReview');
  });
});
