// Event declarations as the stream layer uses them: durability, and the keys by which deltas join.
import type { EventSpec } from '../../contract/event.ts';
import { type EventTypeName, eventTypes } from '../../groups/events.ts';

/** The type with this name, or undefined. */
export function eventType(name: string): EventSpec | undefined {
  return Object.hasOwn(eventTypes, name) ? eventTypes[name as EventTypeName] : undefined;
}

/** Merge key of an event: adjacent events with the same key may be joined. Null for events that never join. */
export function mergeKeyOf(type: string, data: unknown): string | null {
  const rule = eventType(type)?.merge;
  if (!rule || typeof data !== 'object' || data === null) return null;
  const fields = data as Record<string, unknown>;
  if (typeof fields[rule.text] !== 'string') return null;
  if (rule.only && !rule.only.values.includes(fields[rule.only.field] ?? null)) return null;
  let key = type;
  for (const field of rule.same) key += `|${fields[field] ?? ''}`;
  return key;
}

/** Whether an event is the last one of a topic until a restart. */
export function isEndOf(topic: string, type: string): boolean {
  const ends = eventType(type)?.ends;
  return ends !== undefined && topic.startsWith(ends);
}

/** Types that open a run again after `run.ended`. */
export const reopening: ReadonlySet<string> = new Set<EventTypeName>(['run.created', 'run.status']);
