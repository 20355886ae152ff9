// What the file knows of its collections: their tables, key columns, indexes and roll-ups.
import type { Sqlite } from './sqlite.ts';

export type SlotKind = 'path' | 'member' | 'bucket' | 'text';

export interface CatalogEntry {
  /** Whether its tables are known to be there; of one entry alone that is not asked. */
  isMade: boolean;
  slots: [number: number, kind: SlotKind, source: string][];
  indexes: string[];
  rollups: string | null;
}

const newEntry = (): CatalogEntry => ({ isMade: false, slots: [], indexes: [], rollups: null });

/** What is known of one collection. */
export const entryOf = (sqlite: Sqlite, name: string): CatalogEntry =>
  read(sqlite, 'collection = ?', [name]).get(name) ?? newEntry();

/** What is known of all, read at once: a start needs each. Holds for a collection until that one is changed. */
export function wholeCatalog(sqlite: Sqlite): (name: string) => CatalogEntry {
  const entries = read(sqlite, 'true', []);
  const tables = sqlite.all("SELECT substr(name, 3) FROM sqlite_schema WHERE type = 'table' AND name GLOB 'e_*'");
  for (const [name] of tables as [string][]) at(entries, name).isMade = true;
  return (name) => at(entries, name);
}

function at(entries: Map<string, CatalogEntry>, name: string): CatalogEntry {
  const entry = entries.get(name) ?? newEntry();
  entries.set(name, entry);
  return entry;
}

function read(sqlite: Sqlite, where: string, params: string[]): Map<string, CatalogEntry> {
  const entries = new Map<string, CatalogEntry>();
  const rows = (columns: string, table: string) =>
    sqlite.all(`SELECT collection, ${columns} FROM ${table} WHERE ${where} ORDER BY 1, 2`, params);
  for (const [name, ...slot] of rows('slot, kind, source', 'rivulet_slots'))
    at(entries, name as string).slots.push(slot as CatalogEntry['slots'][number]);
  for (const [name, , spec] of rows('name, spec', 'rivulet_indexes'))
    at(entries, name as string).indexes.push(spec as string);
  for (const [name, spec] of rows('spec', 'rivulet_rollups')) at(entries, name as string).rollups = spec as string;
  return entries;
}
