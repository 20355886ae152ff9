// Declares events: on which topics a type travels, what it carries, whether it is kept, and how its deltas join.
import type { z } from 'zod';

/** How adjacent events of one type become one: equal `same` fields, the `text` fields concatenated. */
export interface MergeRule {
  text: string;
  same: readonly string[];
  /** Joins only events whose field has one of these values. */
  only?: { field: string; values: readonly unknown[] };
}

export interface EventSpec<Data extends z.ZodType = z.ZodType> {
  /** One sentence, for the AsyncAPI document. */
  doc: string;
  /** Topic patterns; `*` stands for an id. Empty for events that a connection sends by itself. */
  topics: readonly string[];
  /** Topics of ours, beyond those of the interface. */
  also?: readonly string[];
  /** The payload. */
  data: Data;
  /** Kept in the store and replayed from there; other events are kept in memory for a while. */
  durable: boolean;
  /** Last event about its subject, until the subject is opened again. */
  terminal?: true;
  /** Prefix of the topics that end with this event; its other topics go on. */
  ends?: string;
  merge?: MergeRule;
}

export type EventTable = Readonly<Record<string, EventSpec>>;

type Rest = Partial<Pick<EventSpec, 'also' | 'terminal' | 'ends' | 'merge'>>;

const declare =
  (durable: boolean) =>
  <Data extends z.ZodType>(data: Data, topics: readonly string[], doc: string, rest: Rest = {}): EventSpec<Data> => ({
    doc,
    topics,
    data,
    durable,
    ...rest,
  });

/**
 * Declares one event; a group's events are a table by type.
 *
 * @example { 'run.note': event.kept(AgentRunNoteDto, ['run:*'], 'A run has a new note.') }
 */
export const event = { kept: declare(true), passing: declare(false) };

/** All topics that an event travels on: those of the interface, and ours. */
export const topicsOf = ({ topics, also = [] }: Pick<EventSpec, 'topics' | 'also'>): readonly string[] => [
  ...topics,
  ...also,
];
