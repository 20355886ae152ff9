// Makes conversations: messages in order, with bounds, and the branches of trees of messages.
import { limits } from './limits.ts';
import type { Parsed, ParsedConversation, ParsedMessage } from './shapes.ts';

/** A message, or a tool's call or result, with a place in a tree. */
export interface TreeNode {
  id: string;
  parentId: string | null;
  /** Null for nodes that hold nothing to read. */
  message: ParsedMessage | null;
}

interface About {
  sourceId: string;
  title: string | null;
  startedAt?: Date | null;
  endedAt?: Date | null;
  session?: NonNullable<ParsedConversation['session']>;
}

export const roleOf = (role: unknown): string => {
  const name = typeof role === 'string' ? role.toLowerCase() : '';
  if (/^(human|user|request|you|prompt)$/.test(name)) return 'user';
  if (/^(tool|function)/.test(name)) return 'tool';
  if (/^(system|developer)$/.test(name)) return 'system';
  return 'assistant';
};

/** A conversation of messages in their order; says what of it was too long. */
export function* conversation(
  about: About,
  messages: readonly (ParsedMessage | null)[],
  wanted = true,
): Generator<Parsed> {
  const kept: ParsedMessage[] = [];
  let [length, cut, left] = [0, 0, 0];
  for (const message of messages) {
    // A reply that was only calls of tools has no text, and belongs to its chat.
    if (!message || !(message.content.trim() || message.whole)) continue;
    if (length > limits.conversationLength) {
      left++;
      continue;
    }
    const isLong = message.content.length > limits.messageLength;
    if (isLong) cut++;
    length += Math.min(message.content.length, limits.messageLength);
    kept.push(isLong ? { ...message, content: `${message.content.slice(0, limits.messageLength)} […]` } : message);
  }
  const where = about.title ?? about.sourceId;
  if (cut > 0) yield { kind: 'skipped', reason: `messages cut to ${limits.messageLength} characters`, where };
  if (left > 0) yield { kind: 'skipped', reason: 'messages beyond what a conversation may have', where };
  if (kept.length === 0 && !about.session) {
    if (wanted) yield { kind: 'skipped', reason: 'conversations without a message', where };
    return;
  }
  const times = kept.flatMap(({ sentAt }) => sentAt ?? []).map((at) => at.getTime());
  const [first, last] =
    times.length > 0 ? [new Date(least(times)), new Date(-least(times.map((at) => -at)))] : [null, null];
  yield {
    kind: 'conversation',
    ...about,
    startedAt: first ?? about.startedAt ?? null,
    endedAt: last ?? about.endedAt ?? null,
    messages: kept,
    wanted,
  } satisfies ParsedConversation;
}

const least = (values: readonly number[]) => values.reduce((a, b) => Math.min(a, b));

/**
 * The branch that ends at `current` as the conversation, and what other branches hold besides as conversations of their
 * own, which nobody wants until they say so.
 */
export function* conversationTree(about: About, nodes: readonly TreeNode[], current: string | null): Generator<Parsed> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const parents = new Set(nodes.map(({ parentId }) => parentId));
  const leaves = nodes.filter(({ id }) => !parents.has(id));
  const main = byId.get(current ?? '') ?? leaves.at(-1) ?? nodes.at(-1);
  const taken = new Set<string>();
  const branch = (leaf: TreeNode | undefined): (ParsedMessage | null)[] => {
    const found: (ParsedMessage | null)[] = [];
    for (let node = leaf; node && !taken.has(node.id); node = byId.get(node.parentId ?? '')) {
      taken.add(node.id);
      found.push(node.message);
    }
    return found.reverse();
  };
  yield* conversation(about, branch(main));
  let number = 1;
  for (const leaf of leaves) {
    const messages = taken.has(leaf.id) ? [] : branch(leaf);
    if (!messages.some((message) => message?.content.trim())) continue;
    number++;
    const title = `${about.title ?? 'Conversation'} (branch ${number})`.slice(-limits.titleLength);
    yield* conversation({ ...about, sourceId: `${about.sourceId}#${leaf.id}`, title }, messages, false);
  }
}
