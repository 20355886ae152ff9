// What people do with sessions and messages: lists, search, branches shown, edits, attachments, ratings.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Sought } from '../../ports/search.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { codeOf } from '../agent/testing/world.ts';
import { trainingPairRecord } from '../mirror/pairs/record.ts';
import { toAttachments } from './attachments.ts';
import { chatSearches } from './searched.ts';
import { type ChatWorld, createChatWorld } from './testing/world.ts';

let world: ChatWorld;
beforeEach(async () => {
  world = await createChatWorld();
});
afterEach(() => world.close());

const paging = { page: 1, pageSize: 50 };
const list = async (query: object = {}) =>
  (await world.handlers.list({ ...world.noQuery, params: {}, query: { ...paging, ...query }, body: undefined })).items;
const titles = async (query: object = {}) => (await list(query)).map(({ title }) => title);
const patch = (id: number, body: object) => world.handlers.patch({ ...world.noQuery, params: { id }, body });
const say = (sessionId: number, content: string, role: 'user' | 'assistant' = 'user', more: object = {}) =>
  world.handlers.addMessage({ ...world.noQuery, params: { sessionId }, body: { role, content, ...more } });
const rate = (messageId: number, body: object) =>
  world.handlers.rate({ ...world.noQuery, params: { messageId }, body: body as never });
const messages = async (sessionId: number, query: object = {}) =>
  (
    await world.handlers.messages({
      ...world.noQuery,
      params: { sessionId },
      query: { ...paging, ...query },
      body: undefined,
    })
  ).items.map(({ content }) => content);

describe('sessions', () => {
  it('are listed by what was touched last, pinned ones first, and found by title and words', async () => {
    const a = await world.create({ title: 'Alpha', clientId: 'web' });
    const b = await world.create({ title: 'Beta' });
    await world.clock.advance(1000);
    await say(a.id, 'Where do (rare) birds live?');
    expect(await titles()).toEqual(['Alpha', 'Beta']);
    await patch(b.id, { isPinned: true });
    expect(await titles()).toEqual(['Beta', 'Alpha']);
    expect(await titles({ q: '(RARE) BIRDS' })).toEqual(['Alpha']);
    expect(await titles({ q: 'bet' })).toEqual(['Beta']);
    expect(await titles({ clientId: 'web' })).toEqual(['Alpha']);
    await patch(a.id, { archived: true });
    expect(await titles({ archived: false })).toEqual(['Beta']);
    expect(await titles({ sort: 'title' })).toEqual(['Alpha', 'Beta']);
  });

  it('are seen by their owner alone', async () => {
    const { id } = await world.create();
    const other = { ...world.caller, userId: 4711, identityId: 4712 };
    const at = { ...world.noQuery, caller: other };
    const { messageId } = { messageId: (await say(id, 'Mine')).id };
    expect(await codeOf(() => world.handlers.get({ ...at, params: { id }, query: {}, body: undefined }))).toBe(
      'NOT_FOUND',
    );
    expect(await codeOf(() => world.handlers.stop({ ...at, params: { sessionId: id }, body: undefined }))).toBe(
      'NOT_FOUND',
    );
    expect(await codeOf(() => world.handlers.patchMessage({ ...at, params: { messageId }, body: {} }))).toBe(
      'NOT_FOUND',
    );
    expect((await world.handlers.list({ ...at, params: {}, query: paging, body: undefined })).items).toEqual([]);
  });

  it('are changed in part, and gone when deleted, with the reply that was being made', async () => {
    const { id } = await world.create({ systemPrompt: 'A', modelId: 'x:y', enabledTools: ['add_one'] });
    expect(await patch(id, { systemPrompt: null, title: null })).toMatchObject({
      systemPrompt: null,
      title: '',
      modelId: 'x:y',
      enabledTools: ['add_one'],
    });
    expect(await patch(id, { modelId: null })).toMatchObject({ modelId: 'auto' });
    await world.start(id, 'Go on');
    const call = await world.model.nth(0);
    await world.handlers.remove({ ...world.noQuery, params: { id }, body: undefined });
    expect(call.request.signal.aborted).toBe(true);
    expect(await codeOf(() => world.session(id))).toBe('NOT_FOUND');
    expect(world.published.at(-1)).toMatchObject({ type: 'chat.session.deleted', data: { kind: 'ChatSession', id } });
  });

  it('show the newest messages of their branch, and earlier ones before one of them', async () => {
    const { id } = await world.create();
    const ids: number[] = [];
    for (const n of [1, 2, 3, 4]) ids.push((await say(id, `m${n}`)).id);
    const get = (query: object) => world.handlers.get({ ...world.noQuery, params: { id }, query, body: undefined });
    expect((await get({ messageLimit: 2 })).messages.map(({ content }) => content)).toEqual(['m3', 'm4']);
    const earlier = await get({ messageLimit: 2, beforeMessageId: ids[2] });
    expect(earlier.messages.map(({ content }) => content)).toEqual(['m1', 'm2']);
    expect((await get({ messageLimit: 0 })).messages).toEqual([]);
    expect(await messages(id, { afterMessageId: ids[0], beforeMessageId: ids[3] })).toEqual(['m2', 'm3']);
    expect(await messages(id, { q: 'M4' })).toEqual(['m4']);
    expect(await messages(id, { role: 'assistant' })).toEqual([]);
  });

  it('keep the branch that was chosen, while no reply is being made', async () => {
    const { id } = await world.create();
    const first = await world.start(id, 'One way?');
    const left = await world.model.nth(0);
    left.text('Left');
    left.finish();
    await world.settled();
    const again = await world.start(id, null, { regenerateMessageId: first.messageId });
    expect(await codeOf(() => patch(id, { activeMessageId: first.messageId }))).toBe('CONFLICT');
    const right = await world.model.nth(1);
    right.text('Right');
    right.finish();
    await world.settled();
    const shown = async () => (await world.session(id)).messages.at(-1)?.id;
    expect(await shown()).toBe(again.messageId);
    expect(await patch(id, { activeMessageId: first.messageId })).toMatchObject({ activeMessageId: first.messageId });
    expect(await shown()).toBe(first.messageId);
    const elsewhere = await say((await world.create()).id, 'Elsewhere');
    expect(await codeOf(() => patch(id, { activeMessageId: elsewhere.id }))).toBe('NOT_FOUND');
  });
});

describe('folders and tags', () => {
  const at = { ...{ query: undefined, params: {} } };
  const labels = async (query: object = {}) =>
    world.handlers.labels({ ...world.noQuery, ...at, query, body: undefined });
  const renameFolder = (folder: string, to: string | null, caller = world.caller) =>
    world.handlers.renameFolder({ ...world.noQuery, ...at, caller, body: { folder, to } });
  const renameTag = (tag: string, to: string | null, caller = world.caller) =>
    world.handlers.renameTag({ ...world.noQuery, ...at, caller, body: { tag, to } });
  const stranger = () => ({ ...world.caller, userId: 4711, identityId: 4712 });
  const filed = async () =>
    (await list({ sort: 'title' })).map(({ title, folder, tags }) => [title, folder, ...tags].join(' '));

  it('file chats without touching their time, filter lists, and are counted', async () => {
    const a = await world.create({ title: 'A', folder: 'Work', tags: ['tide'] });
    const b = await world.create({ title: 'B' });
    await world.create({ title: 'C' });
    await world.clock.advance(1000);
    const put = await patch(b.id, { folder: 'Work/Boats', tags: ['tide', 'rope'] });
    expect(put).toMatchObject({ folder: 'Work/Boats', tags: ['tide', 'rope'], updatedAtUtc: b.updatedAtUtc });
    expect(world.published.at(-1)).toMatchObject({ type: 'chat.session.updated', data: { folder: 'Work/Boats' } });
    expect([await titles({ folder: 'Work' }), await titles({ folder: '' })]).toEqual([['A'], ['C']]);
    expect([(await titles({ tag: 'tide' })).sort(), await titles({ q: 'ROP' })]).toEqual([['A', 'B'], ['B']]);
    await patch(a.id, { archived: true });
    expect(await labels({ archived: false })).toEqual({
      folders: [{ name: 'Work/Boats', count: 1 }],
      tags: [
        { name: 'rope', count: 1 },
        { name: 'tide', count: 1 },
      ],
    });
    expect((await labels()).tags[0]).toEqual({ name: 'tide', count: 2 });
    expect(await patch(a.id, { folder: '', tags: null })).toMatchObject({ folder: null, tags: [] });
  });

  it('are renamed and taken away over all chats of a person, and no chat goes with them', async () => {
    await world.create({ title: 'A', folder: 'Work', tags: ['tide', 'rope'] });
    await world.create({ title: 'B', folder: 'Work/Boats', tags: ['rope'] });
    await world.create({ title: 'C', folder: 'Workshop' });
    expect(await renameFolder('Work', 'Work/Old')).toEqual({ count: 2 });
    expect(await renameTag('rope', 'tide')).toEqual({ count: 2 });
    expect(await filed()).toEqual(['A Work/Old tide', 'B Work/Old/Boats tide', 'C Workshop']);
    expect(world.published.at(-1)).toMatchObject({ type: 'chat.session.updated', data: { tags: ['tide'] } });
    expect(await codeOf(() => renameFolder('Work', 'x'.repeat(199)))).toBe('VALIDATION_FAILED');
    expect([await renameFolder('Work', null), await renameTag('tide', null)]).toEqual([{ count: 2 }, { count: 2 }]);
    expect(await filed()).toEqual(['A ', 'B ', 'C Workshop']);
  });

  it('are of nobody else', async () => {
    const { id } = await world.create({ title: 'A', folder: 'Work', tags: ['tide'] });
    expect([await renameFolder('Work', 'X', stranger()), await renameTag('tide', null, stranger())]).toEqual([
      { count: 0 },
      { count: 0 },
    ]);
    const theirs = await world.handlers.labels({
      ...world.noQuery,
      ...at,
      caller: stranger(),
      query: {},
      body: undefined,
    });
    expect(theirs).toEqual({ folders: [], tags: [] });
    const file = () =>
      world.handlers.patch({ ...world.noQuery, caller: stranger(), params: { id }, body: { folder: 'X' } });
    expect(await codeOf(file)).toBe('NOT_FOUND');
    expect(await filed()).toEqual(['A Work tide']);
  });

  it('find a chat in the search over everything', async () => {
    const { id } = await world.create({ title: 'Of ropes', tags: ['low water'] });
    const [leg] = chatSearches({ sessions: world.sessions, messages: world.messages });
    const sought = (question: string) =>
      ({
        question,
        words: question.toLowerCase().split(' '),
        mode: 'Keyword',
        projectId: null,
        identityId: null,
        limit: 5,
      }) as Sought;
    expect(await leg?.find(world.caller, sought('Low water'))).toMatchObject([{ id, tags: ['low water'] }]);
    expect(await leg?.find(stranger(), sought('Low water'))).toEqual([]);
  });
});

describe('messages', () => {
  it('that were added are what the model sees, tool calls with their results', async () => {
    const { id } = await world.create();
    await say(id, 'Add 1 and 1');
    const toolCalls = [{ id: 'c1', name: 'add', argumentsJson: '{}', status: 'Succeeded' as const }];
    await say(id, 'Let me see', 'assistant', { toolCalls, promptTokens: 3, completionTokens: 2 });
    await world.handlers.addMessage({
      ...world.noQuery,
      params: { sessionId: id },
      body: { role: 'tool', content: '2', toolCallId: 'c1', toolName: 'add' },
    });
    await world.start(id, 'So?');
    const { request } = await world.model.nth(0);
    expect(request.messages).toEqual([
      { role: 'user', content: 'Add 1 and 1' },
      { role: 'assistant', content: 'Let me see', toolCalls: [{ id: 'c1', name: 'add', argumentsJson: '{}' }] },
      { role: 'tool', toolCallId: 'c1', toolName: 'add', content: '2' },
      { role: 'user', content: 'So?' },
    ]);
    expect(await codeOf(() => say(id, 'Meanwhile'))).toBe('CONFLICT');
    const streaming = (await world.session(id)).generatingMessageId ?? 0;
    const edit = { ...world.noQuery, params: { messageId: streaming }, body: { content: 'x' } };
    expect(await codeOf(() => world.handlers.patchMessage(edit))).toBe('CONFLICT');
    expect((await world.session(id)).totalTokens).toBe(5);
  });

  it('that were edited are seen as edited', async () => {
    const { id } = await world.create();
    await say(id, 'Hi');
    const reply = await say(id, 'Bad', 'assistant');
    await world.handlers.patchMessage({ ...world.noQuery, params: { messageId: reply.id }, body: { content: 'Good' } });
    await world.start(id, 'Again');
    const { request } = await world.model.nth(0);
    expect(request.messages.map(({ content }) => content)).toEqual(['Hi', 'Good', 'Again']);
  });

  it('carry images and texts', async () => {
    const { id } = await world.create();
    const attachments = toAttachments([
      { kind: 'Image', mimeType: 'image/png', base64: 'AAEC' },
      { kind: 'File', name: 'a.md', mimeType: 'text/markdown', base64: Buffer.from('# Grüße').toString('base64') },
      { kind: 'Url', url: 'https://example.com/a' },
    ]);
    await world.start(id, 'Look', { attachments });
    const { request } = await world.model.nth(0);
    expect(request.messages[0]?.content).toEqual([
      { type: 'text', text: 'Look' },
      { type: 'image', mediaType: 'image/png', data: Buffer.from([0, 1, 2]) },
      { type: 'text', text: 'Attachment "a.md":\n# Grüße' },
      { type: 'text', text: 'Attachment:\nhttps://example.com/a' },
    ]);
    const [question] = (await world.session(id)).messages;
    expect(question?.attachments).toEqual([
      { kind: 'Image', name: null, mimeType: 'image/png', sizeBytes: 3, url: null },
      { kind: 'File', name: 'a.md', mimeType: 'text/markdown', sizeBytes: 9, url: null },
      { kind: 'Url', name: null, mimeType: null, sizeBytes: null, url: 'https://example.com/a' },
    ]);
  });

  it('give back the files that came with them, to their owner alone', async () => {
    const { id } = await world.create();
    const attachments = toAttachments([
      { kind: 'Image', name: 'dot.png', mimeType: 'image/png', base64: 'AAEC' },
      { kind: 'Text', name: 'a.md', mimeType: 'text/markdown', text: '# Grüße' },
      { kind: 'Text', mimeType: 'text/html\r\nset-cookie: a=b', text: 'x' },
      { kind: 'Url', url: 'https://example.com/a' },
    ]);
    await world.start(id, 'Look', { attachments });
    const messageId = (await world.session(id)).messages[0]?.id ?? 0;
    const file = (index: number, caller = world.caller) =>
      world.handlers.attachment({ ...world.noQuery, caller, params: { messageId, index }, body: undefined });
    const [image, text, odd] = await Promise.all([0, 1, 2].map((index) => file(index)));
    expect(image).toEqual({
      kind: 'file',
      mediaType: 'image/png',
      fileName: 'dot.png',
      body: Buffer.from([0, 1, 2]),
    });
    expect(text).toMatchObject({ mediaType: 'text/markdown; charset=utf-8', fileName: 'a.md', body: '# Grüße' });
    expect(odd).toMatchObject({ mediaType: 'text/plain; charset=utf-8', fileName: 'attachment' });
    const stranger = { ...world.caller, userId: 4711, identityId: 4712 };
    for (const none of [() => file(3), () => file(4), () => file(0, stranger)])
      expect(await codeOf(none)).toBe('NOT_FOUND');
  });

  it.each([
    [{ kind: 'Image' as const }, 'VALIDATION_FAILED'],
    [{ kind: 'Image' as const, url: 'file:///etc/passwd' }, 'VALIDATION_FAILED'],
    [{ kind: 'Text' as const, base64: '!' }, 'VALIDATION_FAILED'],
    [{ kind: 'File' as const, mimeType: 'application/zip', base64: 'AAEC' }, 'UNSUPPORTED_MEDIA_TYPE'],
    [{ kind: 'Memory' as const, memoryId: 7 }, 'NOT_CONFIGURED'],
  ])('refuse the attachment %j', async (input, code) => {
    expect(await codeOf(() => toAttachments([input]))).toBe(code);
  });
});

describe('ratings', () => {
  const pairs = () => perTenant(world.db.collection(trainingPairRecord.spec))(world.tenantId).find().toArray();

  it('are kept, and become training pairs with what to prefer and what to avoid', async () => {
    const { id } = await world.create({ systemPrompt: 'Be kind.' });
    await say(id, 'How?');
    const reply = await say(id, 'Go away', 'assistant');
    expect(await rate(reply.id, { feedback: 'down', feedbackTags: ['rude'] })).toMatchObject({
      feedback: 'down',
      trainingPairId: null,
    });
    expect(await codeOf(() => rate(reply.id, { createTrainingPair: true }))).toBe('VALIDATION_FAILED');
    const kept = await rate(reply.id, { feedbackCorrection: 'Like this', createTrainingPair: true });
    expect(await pairs()).toMatchObject([
      {
        _id: kept.trainingPairId,
        identityId: world.caller.identityId,
        systemPrompt: 'Be kind.',
        userPrompt: 'How?',
        chosenResponse: 'Like this',
        rejectedResponse: 'Go away',
        curationStatus: 'Draft',
        tags: ['rude'],
        sourceReference: `chat:${id}/message:${reply.id}`,
      },
    ]);
    // Once more is the same pair, with the newest words.
    await rate(reply.id, { feedbackCorrection: 'Or like that', createTrainingPair: true });
    expect(await pairs()).toMatchObject([{ _id: kept.trainingPairId, chosenResponse: 'Or like that' }]);
    expect((await world.session(id)).messages[1]).toMatchObject({
      feedback: 'down',
      feedbackScore: -1,
      feedbackCorrection: 'Or like that',
      trainingPairId: kept.trainingPairId,
    });
  });

  it('prefer the branch that was rated up; only replies are rated', async () => {
    const { id } = await world.create();
    const answer = async (text: string) => {
      const call = await world.model.nth(world.model.calls.length - 1);
      call.text(text);
      call.finish();
      await world.settled();
    };
    const first = await world.start(id, 'How?');
    await world.model.nth(0);
    await answer('Badly');
    await world.start(id, null, { regenerateMessageId: first.messageId });
    await world.model.nth(1);
    await answer('Well');
    const second = (await world.session(id)).messages[1];
    await rate(first.messageId, { feedback: 'down' });
    await rate(second?.id ?? 0, { feedback: 'up', createTrainingPair: true });
    expect(await pairs()).toMatchObject([{ userPrompt: 'How?', chosenResponse: 'Well', rejectedResponse: 'Badly' }]);
    const question = (await world.session(id)).messages[0];
    expect(await codeOf(() => rate(question?.id ?? 0, { feedback: 'up' }))).toBe('VALIDATION_FAILED');
  });
});
