// What a response was asked with, as the list of items that clients can read again.
import { randomUUID } from 'node:crypto';
import type { ResponseBody } from './contract.ts';
import type { Item } from './kept-responses.ts';

const newId = () => `msg_${randomUUID().replaceAll('-', '')}`;

/** The items of a call, each with an id, and content in parts. */
export function inputItems(input: ResponseBody['input']): Item[] {
  if (typeof input === 'string') return [message('user', input)];
  return input.map((value): Item => {
    const item = value as Item & { role?: string; content?: unknown; type?: string };
    if (typeof item.role !== 'string') return { id: newId(), ...item };
    return { ...message(item.role, item.content), ...(item.id !== undefined && { id: item.id }) };
  });
}

const message = (role: string, content: unknown): Item => ({
  id: newId(),
  type: 'message',
  role,
  status: 'completed',
  content:
    typeof content === 'string'
      ? [{ type: role === 'assistant' ? 'output_text' : 'input_text', text: content }]
      : content,
});

export interface ItemList {
  object: string;
  data: Item[];
  first_id: string | null;
  last_id: string | null;
  has_more: boolean;
}

/** A page of the items, newest first unless said otherwise. */
export function pageOf(items: Item[], query: { limit?: number; order?: string; after?: string }): ItemList {
  const ordered = query.order === 'asc' ? items : items.toReversed();
  const begin = query.after === undefined ? 0 : ordered.findIndex(({ id }) => id === query.after) + 1;
  const limit = query.limit ?? 20;
  const data = ordered.slice(begin, begin + limit);
  const idAt = (at: number) => (data.at(at)?.id as string | undefined) ?? null;
  return {
    object: 'list',
    data,
    first_id: idAt(0),
    last_id: idAt(-1),
    has_more: ordered.length > begin + limit,
  };
}
