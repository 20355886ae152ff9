// Topic names: parsing, permission, and the internal names they map to.
import type { Caller } from '../../contract/caller.ts';
import type { Permission } from '../../contract/enums.ts';
import { type TopicPattern, topics as table } from '../../contract/topics.ts';
import { Fault } from '../../kernel/fault.ts';
import { personalTopic } from '../../ports/stream.ts';

export const topicPatterns: ReadonlyMap<string, TopicPattern> = new Map(table.map((row) => [row.pattern, row]));

/** Topics with a separate instance per person under one public name. */
const personal: ReadonlySet<string> = new Set(['me', 'chats']);
/** An id with leading zeros would be another topic, on which nothing is ever told. */
const nameForm = /^([a-z-]+)(?::([1-9]\d{0,15}))?$/;

/**
 * Splits a public topic name.
 *
 * @throws Fault NOT_FOUND for a name that is no topic
 */
export function parseTopic(name: string): { pattern: string; id: number | null; needs: Permission | 'self' } {
  const [, kind = '', digits] = nameForm.exec(name) ?? [];
  const pattern = digits === undefined ? kind : `${kind}:*`;
  const row = topicPatterns.get(pattern);
  if (!row) {
    throw new Fault('NOT_FOUND', `There is no topic "${name.slice(0, 80)}".`, {
      hint: `Topics are ${table.map((entry) => entry.pattern.replace('*', '{id}')).join(', ')}.`,
    });
  }
  return { pattern, id: digits === undefined ? null : Number(digits), needs: row.needs };
}

/**
 * Checks that a topic exists in the interface and that the caller has its permission. Whether the caller may read
 * this particular run or chat is checked besides, by the operation's own rule.
 *
 * @throws Fault NOT_FOUND, FORBIDDEN
 */
export function requireTopic(caller: Caller, name: string): void {
  const { needs } = parseTopic(name);
  if (needs === 'self' || caller.permissions.has(needs)) return;
  throw new Fault('FORBIDDEN', `Topic ${name} needs the permission ${needs}.`, {
    hint: 'Ask an administrator for a role or key that has it.',
  });
}

/** Internal name of a subscriber's topic. */
export function ownTopic(caller: Caller, name: string): string {
  if (!personal.has(name)) return name;
  const { kind, userId, identityId } = caller;
  const asAgent = kind === 'IdentityKey' || kind === 'Run';
  if (identityId !== null && (asAgent || userId === null)) return personalTopic(name as 'me', { identityId });
  if (userId !== null) return personalTopic(name as 'me', { userId });
  return `${name}@${kind}`;
}

/** Key of a topic in logs and stores. */
export const topicKey = (tenantId: number, topic: string): string => `${tenantId}/${topic}`;

/** Public name of a key. */
export function publicName(key: string): string {
  const start = key.indexOf('/') + 1;
  const at = key.indexOf('@', start);
  return at < 0 ? key.slice(start) : key.slice(start, at);
}
