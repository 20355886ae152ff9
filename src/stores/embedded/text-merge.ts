// Merges indexes of text after deletions: until then an index keeps the words of what was deleted, and grows by it.
import type { Sqlite } from './sqlite.ts';
import { textTableOf } from './texts.ts';

/**
 * Indexes that have words of deleted or overwritten texts; those that a merge is under way for are there again with
 * `merging`, so that the next one takes up what a crash has left.
 */
export const unmergedCatalog = `CREATE TABLE IF NOT EXISTS rivulet_unmerged (
    texts TEXT NOT NULL, merging INTEGER NOT NULL, PRIMARY KEY (texts, merging)) WITHOUT ROWID`;

/** Pages that one step writes. */
const stepPages = 16;

/** Kinds of triggers that mark an index. */
export const markTriggers = ['unmerged', 'overwritten'];

interface Indexed {
  name: string;
  documents: string;
  column: string;
  isNew: boolean;
}

/** Has deletions and changes of a column of text mark its index, unless they do. Inside a write. */
export function markUnmerged(sqlite: Sqlite, { name, documents, column, isNew }: Indexed): void {
  const texts = `${name}.${column}`;
  if (sqlite.get('SELECT 1 FROM sqlite_master WHERE name = ?', [`t_${texts}.unmerged`])) return;
  const mark = `INSERT INTO rivulet_unmerged SELECT '${texts}', 0
    WHERE NOT EXISTS (SELECT 1 FROM rivulet_unmerged WHERE texts = '${texts}' AND merging = 0);`;
  const trigger = (kind: string, on: string) =>
    sqlite.run(`CREATE TRIGGER "t_${texts}.${kind}" AFTER ${on} ON ${documents} BEGIN ${mark} END`);
  trigger('unmerged', 'DELETE');
  trigger('overwritten', `UPDATE OF ${column}`);
  // Earlier versions have marked nothing.
  if (!isNew) sqlite.run(mark);
}

/** Merges the marked indexes, some pages at a time between other writes. */
export async function mergeTexts(sqlite: Sqlite, signal?: AbortSignal): Promise<void> {
  const write = <R>(run: () => R) => sqlite.write(() => sqlite.atomic(run), { repeatable: false });
  for (const [texts] of sqlite.all('SELECT DISTINCT texts FROM rivulet_unmerged') as [string][]) {
    const at = texts.lastIndexOf('.');
    const table = textTableOf(texts.slice(0, at), texts.slice(at + 1));
    const merge = (pages: number) => sqlite.run(`INSERT INTO ${table} (${table}, rank) VALUES ('merge', ?)`, [pages]);
    await write(() => {
      sqlite.run('INSERT OR REPLACE INTO rivulet_unmerged VALUES (?, 1)', [texts]);
      sqlite.run('DELETE FROM rivulet_unmerged WHERE texts = ? AND merging = 0', [texts]);
      // A negative number begins to merge all segments into one.
      merge(-stepPages);
    });
    const changes = () => sqlite.get('SELECT total_changes()')![0] as number;
    const step = () => {
      const before = changes();
      merge(stepPages);
      // The command itself counts as one.
      return changes() - before > 1;
    };
    while (await write(step)) if (signal?.aborted) return;
    await sqlite.write(() => sqlite.run('DELETE FROM rivulet_unmerged WHERE texts = ? AND merging = 1', [texts]));
  }
}
