// Branches of a session: messages form a tree, and a branch is the path from its first message to one of them.
import type { MessageRecord } from './records.ts';

/**
 * The branch that ends at a message, oldest first; empty for null. A missing parent ends the path. In chats of earlier
 * versions a reply of one node may have a smaller id than its question, which another one made.
 */
export function branchOf<M extends { id: number; parentId: number | null }>(
  messages: readonly M[],
  lastId: number | null,
): M[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const branch = new Set<M>();
  let at = lastId === null ? undefined : byId.get(lastId);
  // On a damaged store messages may follow each other in a circle.
  for (; at && !branch.has(at); at = byId.get(at.parentId ?? -1)) branch.add(at);
  return [...branch].reverse();
}

/** The part of a branch that the model sees in full, after the newest summary. */
export function sinceSummary(branch: readonly MessageRecord[]): { summary: string | null; rest: MessageRecord[] } {
  const at = branch.findLastIndex((message) => message.summary !== null);
  return { summary: branch[at]?.summary ?? null, rest: branch.slice(at + 1) };
}

/** The newest `most` messages of a branch, from a question on: an answer without its question would mislead a model. */
export function newestOf(branch: readonly MessageRecord[], most = Number.POSITIVE_INFINITY): readonly MessageRecord[] {
  if (branch.length <= most) return branch;
  const start = branch.length - most;
  const first = branch.findIndex(({ role }, at) => at >= start && role === 'user');
  return branch.slice(first === -1 ? branch.findLastIndex(({ role }) => role === 'user') : first);
}
