// Branches of a session: messages form a tree, and a branch is the way from its first message to one of them.
import type { MessageRecord } from './records.ts';

/** The branch that ends at a message, oldest first; empty for null. A parent that is not there ends the way. */
export function branchOf<M extends { id: number; parentId: number | null }>(
  messages: readonly M[],
  lastId: number | null,
): M[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const branch: M[] = [];
  for (let at = lastId === null ? undefined : byId.get(lastId); at; at = byId.get(at.parentId ?? -1)) {
    branch.push(at);
    // A message is older than those that follow it: whatever was stored, the way has an end.
    if (at.parentId !== null && at.parentId >= at.id) break;
  }
  return branch.reverse();
}

/** The part of a branch that a model is shown in full, after the newest summary. */
export function sinceSummary(branch: readonly MessageRecord[]): { summary: string | null; rest: MessageRecord[] } {
  const at = branch.findLastIndex((message) => message.summary !== null);
  return { summary: branch[at]?.summary ?? null, rest: branch.slice(at + 1) };
}
