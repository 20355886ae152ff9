// What the chaos test and its child both know.
import { defineCollection } from '../../../src/ports/db.ts';

export interface EventDoc {
  _id: number;
  key: string;
  writer: number;
  tags: string[];
  atUtc: Date;
}

export interface AccountDoc {
  _id: number;
  writes: number;
  log: string[];
}

export const eventsCollection = defineCollection<EventDoc>({
  name: 'events',
  indexes: [{ keys: { key: 1 }, unique: true }, { keys: { writer: 1, atUtc: -1 } }, { keys: { tags: 1 } }],
});

export const accountsCollection = defineCollection<AccountDoc>({ name: 'accounts' });
