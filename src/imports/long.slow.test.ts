// Conversations far longer than any piece of a file.
import { expect, it } from 'vitest';
import { chatGptConversation, spoken } from '../../test/support/archives.ts';
import { read } from './testing/reading.ts';

it('ChatGPT: a conversation of 5,000 messages', async () => {
  const texts = Array.from({ length: 5000 }, (_, n) => `m${n}`);
  const [found] = await read('x.json', [chatGptConversation('c', 'Long', spoken(...texts))], 4099);
  expect(found).toMatchObject({ title: 'Long', messages: texts.map((content) => ({ content })) });
});

it('Copilot: a table of 20,000 rows', async () => {
  const rows = Array.from({ length: 20_000 }, (_, n) => `Long,2026-01-01T00:00:00,${n % 2 ? 'AI' : 'Human'},m${n}`);
  const [found] = await read('x.csv', `Conversation,Time,Author,Message\n${rows.join('\n')}\n`, 65_536);
  expect(found).toMatchObject({ title: 'Long' });
  expect(found && 'messages' in found && found.messages.length).toBe(20_000);
});
