// Which events wake a routine: a glob over types and topics, and a closed language of conditions on the payload.
import { z } from 'zod';
import { Fault } from '../kernel/fault.ts';

/** An event as triggers see it. */
export interface Happened {
  type: string;
  topics: readonly string[];
  data: unknown;
}

const scalar = z.union([z.string().max(1000), z.number(), z.boolean(), z.null()]);
const Condition = z.union([
  scalar,
  z
    .strictObject({
      eq: scalar.optional(),
      ne: scalar.optional(),
      gt: z.union([z.number(), z.string().max(1000)]).optional(),
      gte: z.union([z.number(), z.string().max(1000)]).optional(),
      lt: z.union([z.number(), z.string().max(1000)]).optional(),
      lte: z.union([z.number(), z.string().max(1000)]).optional(),
      in: z.array(scalar).min(1).max(100).optional(),
      contains: z.string().min(1).max(1000).optional(),
      exists: z.boolean().optional(),
    })
    .refine((one) => Object.keys(one).length > 0),
]);
const path = z.string().regex(/^[A-Za-z_]\w{0,99}(\.[A-Za-z_0-9]\w{0,99}){0,9}$/);
const Filter = z.record(path, Condition).refine((one) => Object.keys(one).length <= 20);
type Condition = z.output<typeof Condition>;

/**
 * `run.failed`, `task.*`, or with a topic before it: `project:7/task.*`. A star stands for any characters.
 *
 * @throws Fault VALIDATION_FAILED
 */
export function parsePattern(pattern: string): (event: Happened) => boolean {
  const text = pattern.trim();
  if (!/^([\w.:*-]{1,200}\/)?[\w.*-]{1,200}$/.test(text))
    throw new Fault('VALIDATION_FAILED', 'eventPattern is no pattern of event types.', {
      hint: 'Write a type with * for any characters, e.g. "task.*", or a topic before it: "project:7/run.failed".',
    });
  const at = text.lastIndexOf('/');
  const type = text.slice(at + 1);
  const topic = at < 0 ? null : text.slice(0, at);
  return (event) => globs(type, event.type) && (topic === null || event.topics.some((one) => globs(topic, one)));
}

/** Linear in the text for each star, whatever the pattern. */
export function globs(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return pattern === text;
  const last = rest.pop() as string;
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last)) return false;
  const end = text.length - last.length;
  let from = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, from);
    if (found < 0 || found + piece.length > end) return false;
    from = found + piece.length;
  }
  return true;
}

/**
 * `{"status":"Failed","costUsd":{"gt":1},"project.key":{"in":["A","B"]}}`: every field must hold.
 *
 * @throws Fault VALIDATION_FAILED
 */
export function parseFilter(json: string | null): (data: unknown) => boolean {
  if (json === null || json.trim() === '') return () => true;
  const read = Filter.safeParse(jsonOf(json));
  if (!read.success)
    throw new Fault('VALIDATION_FAILED', 'filterJson is no filter of events.', {
      hint: 'Send an object of fields of the event, each with a value or with eq, ne, gt, gte, lt, lte, in, contains or exists, e.g. {"status":"Failed","costUsd":{"gt":1}}.',
    });
  const conditions = Object.entries(read.data).map(([name, condition]) => ({ keys: name.split('.'), condition }));
  return (data) => conditions.every(({ keys, condition }) => holds(condition, at(data, keys)));
}

function jsonOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return null;
  }
}

/** The own field at a path; undefined where there is none. */
function at(data: unknown, keys: readonly string[]): unknown {
  let value = data;
  for (const key of keys) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function holds(condition: Condition, value: unknown): boolean {
  if (typeof condition !== 'object' || condition === null) return (value ?? null) === condition;
  const checks: Record<string, (wanted: never) => boolean> = {
    eq: (wanted: unknown) => (value ?? null) === wanted,
    ne: (wanted: unknown) => (value ?? null) !== wanted,
    gt: (wanted: never) => compares(value, wanted) && (value as never) > wanted,
    gte: (wanted: never) => compares(value, wanted) && (value as never) >= wanted,
    lt: (wanted: never) => compares(value, wanted) && (value as never) < wanted,
    lte: (wanted: never) => compares(value, wanted) && (value as never) <= wanted,
    in: (wanted: readonly unknown[]) => wanted.includes(value ?? null),
    contains: (wanted: string) =>
      typeof value === 'string'
        ? value.toLowerCase().includes(wanted.toLowerCase())
        : Array.isArray(value) && value.includes(wanted),
    exists: (wanted: boolean) => ((value ?? null) !== null) === wanted,
  };
  return Object.entries(condition).every(([name, wanted]) => wanted === undefined || checks[name]?.(wanted as never));
}

/** Numbers with numbers, texts with texts: times of events are texts that sort as times. */
const compares = (value: unknown, wanted: unknown) => typeof value === typeof wanted;
