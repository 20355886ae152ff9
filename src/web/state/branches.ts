// Messages as a tree: which branch is shown, and what stands beside each message of it.
import type { ChatMessageDto } from '../../client/index.ts';

export interface Shown {
  message: ChatMessageDto;
  /** Messages that follow the same one, oldest first; at least the message itself. */
  siblings: readonly number[];
}

/** Roles that are not shown: results of tools stand with their calls, instructions in the settings. */
const unseen: ReadonlySet<string> = new Set(['tool', 'system']);

/** The branch that ends in a message, from its beginning; an unknown end is the newest message. */
export function branchTo(messages: readonly ChatMessageDto[], end: number | null): Shown[] {
  const byId = new Map(messages.map((message) => [message.id, message]));
  const shown: Shown[] = [];
  let at = (end === null ? undefined : byId.get(end)) ?? messages.at(-1);
  while (at) {
    const { parentMessageId } = at;
    const siblings = messages.filter((one) => one.parentMessageId === parentMessageId).map((one) => one.id);
    if (!unseen.has(at.role)) shown.push({ message: at, siblings: siblings.sort((a, b) => a - b) });
    at = parentMessageId === null ? undefined : byId.get(parentMessageId);
  }
  return shown.reverse();
}

/** The newest end of the branches that go through a message. */
export function newestEnd(messages: readonly ChatMessageDto[], id: number): number {
  const next = messages.filter((one) => one.parentMessageId === id).reduce((best, one) => Math.max(best, one.id), 0);
  return next === 0 ? id : newestEnd(messages, next);
}
