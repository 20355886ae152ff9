// What archives have besides plain questions and answers: nothing of it is lost without a word, or taken for what it is not.
import { describe, expect, it } from 'vitest';
import { chatGptConversation } from '../../test/support/archives.ts';
import { read, said } from './testing/reading.ts';

const skipped = (reason: string) => ({ kind: 'skipped', reason });

describe('Grok', () => {
  const conversation = { id: 'g', title: 'Sea', create_time: '2026-01-01T00:00:00.000000Z', leaf_response_id: 'c' };
  const response = (id: string, parent: string | null, sender: string, message: string, more: object = {}) => ({
    response: {
      _id: id,
      parent_response_id: parent,
      sender,
      message,
      create_time: { $date: { $numberLong: '1760000000000' } },
      ...more,
    },
  });

  it('branches, tools and files', async () => {
    const responses = [
      response('a', null, 'human', 'How deep?', { file_attachments: ['asset-1'] }),
      response('b', 'a', 'assistant', 'Ten.'),
      response('c', 'a', 'ASSISTANT', 'Eleven.', {
        model: 'grok-4',
        steps: [{ tool_usage_results: [{ tool_name: 'web_search' }] }],
        generated_image_urls: ['x.png', 'y.png'],
        cited_web_search_results: [{ title: 'Depths', url: 'https://depths.test' }],
      }),
    ];
    expect(
      await read('prod-grok-backend.json', { conversations: [{ conversation, responses }], projects: [], tasks: [] }),
    ).toMatchObject([
      { ...said('How deep?\n[file]', 'Eleven.\n[image]\n[image]\n[source: Depths https://depths.test]'), wanted: true },
      { messages: [{ content: 'Ten.' }], wanted: false },
    ]);
  });

  it('projects, and conversations that are empty or have no ids', async () => {
    const file = {
      conversations: [
        { conversation: { id: 'e', title: 'Empty' }, responses: [] },
        {
          conversation: { title: 'Loose' },
          responses: [
            { response: { sender: 'human', message: 'Hi' } },
            { response: { sender: 'assistant', message: 'Ho' } },
            {},
          ],
        },
      ],
      projects: [{ name: 'Boat', custom_personality: 'Be brief.', conversation_starters: ['Hi'] }, { name: 'None' }],
      media_posts: [{ id: 'p', original_prompt: 'A red boat', media_type: 'image' }],
    };
    expect(await read('x.json', file)).toMatchObject([
      skipped('conversations without a message'),
      { ...said('Hi', 'Ho'), title: 'Loose' },
      { kind: 'Memory', title: 'Boat', content: 'Be brief.', category: 'project' },
      skipped('projects that say nothing'),
      skipped('images and films without a conversation'),
    ]);
  });
});

describe('DeepSeek', () => {
  const node = (id: string, parent: string | null, fragments: object[], more: object = {}) => ({
    id,
    parent,
    children: [],
    message: { model: 'deepseek-chat', inserted_at: '2026-01-01T08:00:00.123000+08:00', files: [], fragments, ...more },
  });
  const file = (mapping: object, more: object = {}) => [
    {
      id: 'd',
      title: 'T',
      inserted_at: '2026-01-01T08:00:00+08:00',
      updated_at: '2026-01-01T09:00:00+08:00',
      mapping,
      ...more,
    },
  ];
  const root = { id: 'root', parent: null, children: ['1'], message: null };

  it('edited questions are branches, files are named, thoughts and searches are left out', async () => {
    const mapping = {
      root,
      1: node('1', 'root', [{ type: 'REQUEST', content: '这是什么？' }], { files: [{ file_name: '船.png' }] }),
      2: node('2', '1', [
        { type: 'THINK', content: 'hm' },
        { type: 'SEARCH', results: [{ url: 'x' }] },
        { type: 'RESPONSE', content: '船' },
      ]),
      3: node('3', 'root', [{ type: 'REQUEST', content: 'And this?' }]),
      4: node('4', '3', [
        { type: 'RESPONSE', content: 'A ship.' },
        { type: 'TIP', content: 'AI may err.' },
      ]),
    };
    const found = await read('conversations.json', file(mapping));
    expect(found).toMatchObject([
      { ...said('And this?', 'A ship.'), wanted: true, format: 'deepseek-json' },
      { ...said('这是什么？\n[file 船.png]', '船'), wanted: false },
    ]);
    expect(found[1]).toMatchObject({ startedAt: new Date('2026-01-01T00:00:00.123Z') });
  });

  it('messages without fragments, and conversations with none', async () => {
    const old = (role: string, content: string) => ({ role, content, inserted_at: '2026-01-01T00:00:00Z' });
    const mapping = {
      root,
      1: { id: '1', parent: 'root', message: old('USER', 'Hi') },
      2: { id: '2', parent: '1', message: old('ASSISTANT', 'Ho') },
    };
    expect(await read('x.json', file(mapping))).toMatchObject([{ ...said('Hi', 'Ho'), format: 'deepseek-json' }]);
    expect(await read('x.json', file({ root }))).toMatchObject([skipped('conversations without a message')]);
  });
});

describe('Mistral', () => {
  const message = (role: string, at: string, more: object) => ({
    id: at,
    version: 0,
    chatId: 'm1',
    role,
    content: '',
    contentChunks: null,
    createdAt: `2026-01-01T00:00:0${at}.000Z`,
    files: [],
    canvas: [],
    ...more,
  });

  it('chunks, calls of tools, canvases and files', async () => {
    const file = [
      message('assistant', '2', {
        contentChunks: [
          { type: 'tool_call', name: 'web_search', publicArguments: '{"query":"phare"}', publicResult: { a: 1 } },
          { type: 'text', text: 'Un phare ' },
          { type: 'reference', referenceIds: [1] },
          { type: 'text', text: 'à Lindau.' },
        ],
        canvas: [{ title: 'Plan', content: '# Phare' }],
      }),
      message('user', '1', { content: 'Où ?', files: [{ type: 'image', name: 'phare.png' }] }),
    ];
    expect(await read('chat-1.json', file)).toMatchObject([
      said(
        'Où ?\n[file phare.png]',
        '[call of web_search] {"query":"phare"}\nUn phare à Lindau.\n[canvas Plan]\n# Phare',
      ),
    ]);
  });

  it('of answers that were made anew the preferred one', async () => {
    const file = [
      message('user', '1', { content: 'Who?', version: 0 }),
      message('assistant', '2', { content: 'Me.', id: 'a', preference: 'not-preferred' }),
      message('assistant', '3', { content: 'Us.', id: 'b', preference: 'preferred', preferenceOver: 'a' }),
    ];
    expect(await read('chat-1.json', file)).toMatchObject([
      { ...said('Who?', 'Us.'), wanted: true },
      { messages: [{ content: 'Me.' }], wanted: false },
    ]);
  });

  it('an empty chat', async () => {
    expect(await read('chat-1.json', [message('user', '1', {})])).toMatchObject([
      skipped('conversations without a message'),
    ]);
  });
});

describe('Copilot', () => {
  it('the other tables that are handed out', async () => {
    const named =
      'CreatedAt,MessageContent,Author,ChatName\n01/15/2026 10:00:00,"Wie, weit?",user,Meer\n01/15/2026 10:00:05,Weit.,bot,Meer\n';
    expect(await read('chats.csv', named)).toMatchObject([
      { ...said('Wie, weit?', 'Weit.'), title: 'Meer', startedAt: new Date('2026-01-15T10:00:00Z') },
    ]);
    const prompts =
      'Timestamp,ClientApp,Prompt\n2026-01-15T10:00:00,Paint,A boat\n2026-01-15T10:01:00,Paint,A ship\n2026-01-16T10:01:00,Word,A letter\n';
    expect(await read('prompts.csv', prompts)).toMatchObject([
      { messages: [{ content: 'A boat' }, { content: 'A ship' }], title: 'A boat' },
      { messages: [{ content: 'A letter' }] },
    ]);
  });

  it('lines within a text, quotes, a mark of UTF-8, empty rows, rows without an author, chats in turns', async () => {
    const file =
      '\uFEFF"Conversation","Time","Author","Message"\r\n"A","2026-01-01T00:00:00","Human","Two\nlines, ""quoted"""\r\n"B","2026-01-01T00:00:01","Human","Other"\r\n\r\n"A","2026-01-01T00:00:02","AI","港"\r\n"B","2026-01-01T00:00:03","AI",""\r\n"A","2026-01-01T00:00:04"\r\n';
    expect(await read('x.csv', file)).toMatchObject([said('Two\nlines, "quoted"', '港'), said('Other')]);
  });

  it('a table without rows, and one of something else', async () => {
    expect(await read('x.csv', 'Conversation,Time,Author,Message\n')).toMatchObject([
      skipped('tables without conversations'),
    ]);
    expect(await read('x.csv', 'name,price\ntea,3\n')).toMatchObject([skipped('tables without conversations')]);
  });
});

it('ChatGPT: what a person told of themselves is kept once, and is read though its message is read at once', async () => {
  const about = { content_type: 'user_editable_context', user_profile: 'Sails.', user_instructions: 'Be brief.' };
  const chat = (id: string) =>
    chatGptConversation(id, id, [
      { role: 'system', content: about },
      { role: 'user', text: 'Hi' },
      { role: 'assistant', text: 'Ho' },
    ]);
  expect(await read('conversations.json', [chat('a'), chat('b')])).toMatchObject([
    { kind: 'Memory', content: 'Sails.' },
    { kind: 'Memory', content: 'Be brief.' },
    said('Hi', 'Ho'),
    said('Hi', 'Ho'),
  ]);
});
