// Files that are made to fill the memory or the time of the server end early, however large they are.
import { expect, it } from 'vitest';
import { limits } from './limits.ts';
import { readFile } from './read-file.ts';

/** Reads a file that goes on until its reader has had enough; what was asked for of it, and what was found. */
async function readEndless(name: string, head: string, more: (n: number) => string, most: number) {
  let asked = 0;
  const found: { kind: string; reason?: string; messages?: readonly object[] }[] = [];
  const file = {
    name,
    async *read() {
      yield Buffer.from(head);
      for (let n = 0; asked < most; n++) {
        const chunk = Buffer.from(more(n));
        asked += chunk.length;
        yield chunk;
      }
    },
  };
  const failure = await (async () => {
    for await (const { parsed } of readFile(file)) found.push(parsed as (typeof found)[number]);
  })().then(
    () => null,
    (error: Error) => error.message,
  );
  return { asked, found, failure };
}
const mb = 2 ** 20;
const text = 'x'.repeat(100_000);

it('a page of one cell, or of elements without an end', async () => {
  const cell =
    '<html><body><div class="outer-cell"><div class="header-cell">Gemini</div><div class="content-cell">Prompted ';
  const long = await readEndless('a.html', cell, () => `${text}<br>`, 4 * mb);
  expect(long.found).toMatchObject([{ kind: 'skipped' }, { kind: 'conversation' }]);
  const kept = long.found[1]?.messages as { content: string }[];
  expect(kept.reduce((sum, { content }) => sum + content.length, 0)).toBeLessThan(2 * limits.htmlTextLength);
  const deep = await readEndless('a.html', '<html><body>', () => '<div>'.repeat(1000), 30 * mb);
  expect([deep.failure, deep.asked < mb]).toEqual([expect.stringMatching(/within each other/), true]);
  const tag = await readEndless('a.html', '<html><body><div class="', () => text, 30 * mb);
  expect([tag.failure, tag.asked < 8 * mb]).toEqual([expect.stringMatching(/damaged/), true]);
});

it('a chat, a history and a table without an end are read in parts', async () => {
  const chat = await readEndless(
    'chat-1.json',
    '[',
    (n) => `${n ? ',' : ''}{"role":"user","chatId":"m","content":"${text}"}`,
    64 * mb,
  );
  expect(chat.found.filter(({ kind }) => kind === 'conversation').length).toBeGreaterThan(1);
  const table = await readEndless(
    'a.csv',
    'Conversation,Time,Author,Message\n',
    (n) => `A,2026-01-01T00:00:00,Human,${n}${text}\n`,
    64 * mb,
  );
  expect(table.found.filter(({ kind }) => kind === 'conversation').length).toBeGreaterThan(1);
  expect(table.found.filter(({ kind }) => kind === 'skipped')).toEqual([]);
  const row = await readEndless('a.csv', 'Conversation,Time,Author,Message\nA,,Human,"', () => text, 30 * mb);
  expect([row.failure, row.asked < 16 * mb]).toEqual([expect.stringMatching(/damaged/), true]);
  const head = '{"details":{"createdBy":"x"},"identifiers":[{"name":"Ada"}],"messages":[';
  const history = await readEndless(
    'h.json',
    head,
    (n) => `${n ? ',' : ''}{"text":"${text}","sender":"AI","sentAt":"2026-01-01T00:00:00Z"}`,
    64 * mb,
  );
  const lengths = history.found.flatMap(({ messages }) => messages?.length ?? []);
  expect(lengths.every((length) => length * text.length < 2 * limits.conversationLength)).toBe(true);
});

it.each([
  ['lists', (n: number) => `${n ? ',' : ''}[]`.repeat(1)],
  ['numbers', (n: number) => `${n ? ',' : ''}1`],
  ['objects', (n: number) => `${n ? ',' : ''}{}`],
])('a conversation of %s weighs what they take, not what they are long', async (_, one) => {
  const many = (n: number) => (n ? ',' : '') + Array.from({ length: 10_000 }, () => one(0)).join(',');
  const { asked, failure } = await readEndless('a.json', '{"mapping":[', many, 30 * mb);
  expect([failure, asked < 16 * mb]).toEqual([expect.stringMatching(/too large/), true]);
});
