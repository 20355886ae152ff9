// Documents of the portable format without what is a store's own: ids and times.

interface Entry {
  kind: string;
  id?: string;
  [field: string]: unknown;
}
export interface Portable {
  identity: Entry;
  atoms: Entry[];
  artifacts: Entry[];
}

/** Times that belong to what is said, and not to who keeps it. */
const said = new Set(['validFromUtc', 'validUntilUtc', 'dueAtUtc', 'triggerAtUtc', 'reviewByUtc', 'expiresAtUtc']);
const names = [
  'title',
  'name',
  'topic',
  'content',
  'value',
  'userPrompt',
  'triggerContext',
  'relation',
  'number',
  'goal',
];
const labelOf = (entry: Entry) =>
  [entry.kind, entry.key, ...names.map((name) => entry[name])]
    .filter((part) => part != null)
    .join('|')
    .slice(0, 200);

/** Whether something happened, where when it did is a store's own. */
const isTime = (name: string) => name.endsWith('Utc') && !said.has(name);

/** A document whose ids are names of what they stand for, in an order of its own. */
export function canonical({ identity, atoms, artifacts }: Portable): unknown {
  const all = [...atoms, ...artifacts];
  const labels = new Map(all.flatMap((one) => (one.id ? [[one.id, labelOf(one)] as const] : [])));
  const { id: _, ...about } = identity;
  const plain = (value: unknown, name = ''): unknown => {
    if (isTime(name)) return value === null ? null : 'some time';
    if (typeof value === 'string') return labels.get(value) ?? value;
    if (Array.isArray(value)) return value.map((one) => plain(one));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one, key)]));
  };
  const entries = all.map((one) => plain(one.kind === 'session' ? numbered(one) : one));
  return {
    identity: plain(about),
    entries: entries.sort((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b))),
  };
}

/** Messages of a chat by their place in it. */
function numbered(session: Entry): Entry {
  const messages = session.messages as { id: string; parentId: string | null }[];
  const place = new Map(messages.map(({ id }, at) => [id, `message ${at}`]));
  const of = (id: unknown) => place.get(String(id)) ?? null;
  return {
    ...session,
    activeMessageId: of(session.activeMessageId),
    messages: messages.map((one) => ({ ...one, id: of(one.id), parentId: of(one.parentId) })),
  };
}
