import { expect, it } from 'vitest';
import type { ChatMessageDto } from '../../../client/index.ts';
import { goalOfChat } from './goal-of-chat.ts';

const message = (id: number, role: string, content: string, parentMessageId: number | null = id - 1 || null) =>
  ({ id, role, content, parentMessageId, hidden: false }) as ChatMessageDto;

it('asks for what was asked last, with the branch that is shown as context', () => {
  const messages = [
    message(1, 'user', 'How wide is the river?'),
    message(2, 'assistant', 'Very wide.'),
    message(3, 'user', 'Another branch', 2),
    message(4, 'user', 'Build a bridge.', 2),
    message(5, 'assistant', 'I cannot do that here.', 4),
  ];
  expect(goalOfChat({ messages, activeMessageId: 5 })).toBe(
    'Build a bridge.\n\nThe conversation so far:\n\nUser: How wide is the river?\n\nAssistant: Very wide.\n\nAssistant: I cannot do that here.',
  );
});

it('keeps the newest words within what a goal may have, and is empty without words', () => {
  const messages = [message(1, 'assistant', `old ${'x'.repeat(40_000)} new`), message(2, 'user', 'Sum it up.')];
  const goal = goalOfChat({ messages, activeMessageId: 2 });
  expect(goal).toMatch(/^Sum it up\./);
  expect(goal.length).toBe(30_000);
  expect(goal.endsWith(' new')).toBe(true);
  expect(goalOfChat({ messages: [], activeMessageId: null })).toBe('');
});
