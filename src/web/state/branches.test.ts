import { describe, expect, it } from 'vitest';
import type { ChatMessageDto } from '../../client/index.ts';
import { branchTo, newestEnd } from './branches.ts';

const message = (id: number, parentMessageId: number | null, role = 'assistant') =>
  ({ id, parentMessageId, role }) as ChatMessageDto;

// 1 asks; 2 and 3 answer it; 4 goes on after 2, 5 and 6 after 3, through the result of a tool.
const tree = [
  message(1, null, 'user'),
  message(2, 1),
  message(3, 1),
  message(4, 2, 'user'),
  message(5, 3, 'tool'),
  message(6, 5),
];
const ids = (end: number | null) => branchTo(tree, end).map(({ message: one }) => one.id);

describe('branches of a chat', () => {
  it('shows the branch that ends in a message, without results of tools', () => {
    expect(ids(4)).toEqual([1, 2, 4]);
    expect(ids(6)).toEqual([1, 3, 6]);
  });

  it('takes the newest message where the end is not known', () => {
    expect(ids(null)).toEqual([1, 3, 6]);
    expect(ids(99)).toEqual([1, 3, 6]);
    expect(branchTo([], null)).toEqual([]);
  });

  it('names what stands beside a message', () => {
    expect(branchTo(tree, 4).map((one) => one.siblings)).toEqual([[1], [2, 3], [4]]);
  });

  it('finds the newest end behind a message', () => {
    expect(newestEnd(tree, 2)).toBe(4);
    expect(newestEnd(tree, 3)).toBe(6);
    expect(newestEnd(tree, 6)).toBe(6);
  });
});
