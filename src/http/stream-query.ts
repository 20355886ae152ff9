// What every event stream takes in its query: a cursor and a ticket, for clients that cannot send headers.
import { queryReader } from '../contract/coerce.ts';
import type { AnyOperation } from '../contract/operation.ts';
import { Fault } from '../kernel/fault.ts';

/** Named here once, so that a stream's own schema needs neither. */
export const streamFields = ['lastEventId', 'ticket'] as const;
type StreamField = (typeof streamFields)[number];
export type StreamQuery = Partial<Record<StreamField, string>>;

/** A cursor has a part for each of the topics, of which a connection may follow hundreds: as long as a request head takes. */
const maxCharacters: Record<StreamField, number> = { lastEventId: 16_000, ticket: 2000 };

/** True for operations that a browser's EventSource can open. */
export const opensStream = (operation: AnyOperation): boolean =>
  operation.method === 'GET' && (operation.reply === 'stream' || operation.streams === true);

/**
 * Makes a reader of a raw query for one operation: the values of its own schema, and apart from them what the stream
 * itself takes.
 *
 * @throws Fault INVALID_CURSOR or VALIDATION_FAILED when a field of the stream is repeated or too long
 */
export function streamQueryReader(operation: AnyOperation) {
  const own = operation.query ? queryReader(operation.query) : () => ({});
  const shape = (operation.query as { shape?: Record<string, unknown> } | undefined)?.shape ?? {};
  return (raw: string): { values: Record<string, unknown>; rest: string; stream: StreamQuery } => {
    const values: Record<string, unknown> = own(raw);
    const stream: StreamQuery = {};
    if (raw === '') return { values, rest: raw, stream };
    const pairs = new URLSearchParams(raw);
    for (const name of streamFields) {
      const given = pairs.getAll(name);
      if (given.length === 0) continue;
      stream[name] = single(name, given);
      if (name in shape) continue;
      delete values[name];
      pairs.delete(name);
    }
    return { values, rest: pairs.toString(), stream };
  };
}

function single(name: StreamField, given: string[]): string {
  const [value = ''] = given;
  if (given.length === 1 && value.length <= maxCharacters[name]) return value;
  const code = name === 'lastEventId' ? 'INVALID_CURSOR' : 'VALIDATION_FAILED';
  throw new Fault(code, `The query field ${name} is given more than once, or is too long.`, {
    field: name,
    hint:
      name === 'lastEventId' ? 'Send the id of the last event, once.' : 'Send the ticket that you were given, once.',
  });
}

/** The topic that an operation's stream shows, with its path parameters filled in; null where it declares none. */
export const topicOf = (operation: AnyOperation, params: Record<string, number | string>): string | null =>
  operation.topic?.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name])) ?? null;
