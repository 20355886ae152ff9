// Each format is found by what is in a file, and read into the same shape.
import { expect, it } from 'vitest';
import { chatGptConversation, claudeConversation } from '../../test/support/archives.ts';
import { read, said } from './testing/reading.ts';

it('Grok', async () => {
  const response = (message: string, sender: string) => ({
    response: { message, sender, create_time: { $date: { $numberLong: '1760000000000' } } },
  });
  const file = {
    conversations: [
      {
        conversation: { id: 'g', title: 'Straße' },
        responses: [response('Wie weit?', 'human'), response('Weit 🚀', 'ASSISTANT')],
      },
    ],
  };
  expect(await read('x.json', file)).toMatchObject([
    { ...said('Wie weit?', 'Weit 🚀'), title: 'Straße', format: 'grok-json' },
  ]);
});

it('DeepSeek, before ChatGPT', async () => {
  const node = (id: string, parent: string, type: string, content: string) => ({
    id,
    parent,
    message: {
      fragments: [
        { type: 'THINK', content: 'hm' },
        { type, content },
      ],
    },
  });
  const mapping = {
    root: { id: 'root', parent: null, message: null },
    a: node('a', 'root', 'REQUEST', '你好'),
    b: node('b', 'a', 'RESPONSE', '好'),
  };
  expect(await read('x.json', [{ id: 'd', title: 'T', inserted_at: '2026-01-01T00:00:00Z', mapping }])).toMatchObject([
    { ...said('你好', '好'), format: 'deepseek-json' },
  ]);
});

it('Mistral', async () => {
  const message = (role: string, content: string, at: string) => ({ chatId: 'm', role, content, createdAt: at });
  const file = [
    message('user', 'Salut', '2026-01-01T00:00:00Z'),
    message('assistant', 'Bonjour', '2026-01-01T00:00:01Z'),
  ];
  expect(await read('chat-1.json', file)).toMatchObject([{ ...said('Salut', 'Bonjour'), format: 'mistral-json' }]);
});

it('Gemini of Takeout', async () => {
  const one = (title: string, html: string, time: string) => ({
    header: 'Gemini Apps',
    title,
    time,
    products: ['Gemini Apps'],
    safeHtmlItem: [{ html }],
  });
  const file = [
    one('Prompted Later', '<p>Yes</p>', '2026-01-02T12:00:00Z'),
    one('Prompted Second', '<b>B</b>', '2026-01-01T00:05:00Z'),
    one('Prompted First', 'A', '2026-01-01T00:00:00Z'),
  ];
  expect(await read('x.json', file)).toMatchObject([said('Later', 'Yes'), said('First', 'A', 'Second', 'B')]);
});

it('Copilot', async () => {
  const file =
    'Conversation,Time,Author,Message\nTea,2026-01-01T00:00:01,AI,"Assam, of course"\nTea,2026-01-01T00:00:00,Human,Which?\n';
  expect(await read('x.csv', file)).toMatchObject([{ ...said('Which?', 'Assam, of course'), format: 'copilot-csv' }]);
});

it('the interchange schema', async () => {
  const message = (text: string, sender: string) => ({ text, sender, sentAt: '2026-01-01T00:00:00Z' });
  const file = {
    details: { createdBy: 'x' },
    identifiers: [{ name: 'Ada', type: 'email', identifier: 'a@b' }],
    messages: [message('Hi', 'a@b'), message('Ho', 'AI')],
  };
  expect(await read('x.json', file)).toMatchObject([{ ...said('Hi', 'Ho'), format: 'interchange-json' }]);
});

it('Gemini of Takeout as a page', async () => {
  const cell = (prompt: string, at: string, answer: string) =>
    `<div class="outer-cell mdl-cell"><div class="header-cell"><p>Gemini Apps</p></div><div class="content-cell mdl-cell">Prompted ${prompt}<br>${at}<br><p>${answer}</p></div></div>`;
  const page = `<html><body>${cell('Second', 'Jan 1, 2026, 12:05:00 AM UTC', 'B')}${cell('Größe?', 'Jan 1, 2026, 12:00:00 AM UTC', 'A &amp; O')}</body></html>`;
  expect(await read('MyActivity.html', page)).toMatchObject([
    { ...said('Größe?', 'A & O', 'Second', 'B'), format: 'gemini-takeout-html' },
  ]);
});

it('Claude with attachments and calls of tools', async () => {
  const chat = claudeConversation('c', 'Tea', ['Which?'], {
    chat_messages: [
      {
        uuid: 'a',
        sender: 'human',
        text: 'Which?',
        attachments: [{ file_name: 'teas.txt', extracted_content: 'Assam' }],
        files: [{ file_name: 'leaf.png' }],
      },
      {
        uuid: 'b',
        sender: 'assistant',
        content: [
          { type: 'tool_use', name: 'search', input: { q: 'tea' } },
          { type: 'tool_result', content: [{ type: 'text', text: 'found' }] },
          { type: 'text', text: 'Assam.' },
        ],
      },
    ],
  });
  expect(await read('conversations.json', [chat])).toMatchObject([
    said('Which?\n[file teas.txt]\nAssam\n[file leaf.png]', '[call of search] {"q":"tea"}\n[result] found\nAssam.'),
  ]);
});

it('projects and memories of Claude', async () => {
  const docs = [{ filename: 'plan.md', content: 'Build.' }, { filename: 'empty.md' }];
  const project = { uuid: 'p', name: 'Boat', description: 'A boat.', prompt_template: 'Be brief.', docs };
  expect(await read('projects.json', [project])).toMatchObject([
    { kind: 'Memory', title: 'Boat', content: 'A boat.\n\nBe brief.', category: 'project' },
    { kind: 'Memory', title: 'Boat: plan.md', content: 'Build.', category: 'project document' },
    { kind: 'skipped', reason: 'documents without a text' },
  ]);
  const memories = [{ conversations_memory: 'Likes tea.', project_memories: { p: 'Builds a boat.' } }];
  expect(await read('memories.json', memories)).toMatchObject([
    { kind: 'Memory', content: 'Likes tea.', category: 'memory' },
    { kind: 'Memory', content: 'Builds a boat.', category: 'project memory' },
  ]);
});

it('ChatGPT with branches, calls of tools and images that are missing', async () => {
  const image = { content_type: 'multimodal_text', parts: [{ content_type: 'image_asset_pointer' }, 'What is it?'] };
  const chat = chatGptConversation(
    'c',
    'ボート',
    [
      { id: 'q', parent: 'root', role: 'user', content: image },
      { id: 'old', parent: 'q', role: 'assistant', text: 'A cat.' },
      { id: 'call', parent: 'q', role: 'assistant', text: 'look()', recipient: 'browser' },
      { id: 'new', parent: 'call', role: 'tool', text: 'قارب' },
    ],
    'new',
  );
  const found = await read('conversations-001.json', [chat]);
  expect(found).toMatchObject([
    {
      title: 'ボート',
      wanted: true,
      messages: [
        { role: 'user', content: '[image]\nWhat is it?' },
        { role: 'assistant', content: '[call of browser]\nlook()' },
        { role: 'tool', content: 'قارب' },
      ],
    },
    { title: 'ボート (branch 2)', wanted: false, messages: [{ content: 'A cat.' }] },
  ]);
});
