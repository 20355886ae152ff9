// Turns a worktree into a git tree without git ever reading it by itself: no hooks, filters, attributes or ignore files.
import { randomUUID } from 'node:crypto';
import { access, constants, mkdir, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { deleteTree } from '../disk/delete-tree.ts';
import { type GitPlace, git, gitLine, type IndexEntry, indexEntries } from './git.ts';
import { fingerprintOf, type KnownFiles, openKnownFiles } from './known-files.ts';
import { listWork, submoduleMode, type WorkFile } from './work-files.ts';

export interface Snapshot {
  /** Object id of the tree. */
  tree: string;
  /** Paths left out because they are larger than a file may be, or nothing that git can hold. */
  skipped: string[];
}

type Place = Required<Pick<GitPlace, 'workTree'>> & GitPlace;

interface Stored extends IndexEntry {
  file: WorkFile;
}

const linkMode = '120000';
const noObject = '0'.repeat(40);

/** Reads the worktree into the index of `place` and writes its tree. Call it while the sandbox stands still. */
export async function snapshot(place: Place, fileBytes: number): Promise<Snapshot> {
  const known = await openKnownFiles(place.gitDir);
  try {
    return await read(place, fileBytes, known);
  } catch (error) {
    // Git may have thrown away an object that no commit ever had.
    if (!/^git write-tree/.test((error as Error).message)) throw error;
    await known.forget();
    return read(place, fileBytes, known);
  }
}

async function read(place: Place, fileBytes: number, known: KnownFiles): Promise<Snapshot> {
  const before = await indexEntries(place);
  const { files, skipped } = await listWork(place.workTree, before, fileBytes);
  const stored = await storeFiles(place, files, known, skipped);
  const isKept = new Set(skipped);
  for (const { file } of stored) isKept.add(file.path);
  const gone = [...before].filter(([path, { mode }]) => mode !== submoduleMode && !isKept.has(path));
  const changed = stored.filter(({ file, mode, id }) => {
    const old = before.get(file.path);
    return old?.mode !== submoduleMode && (old?.mode !== mode || old.id !== id);
  });
  // Deletions first: a file may make way for a folder.
  const lines = [
    ...gone.map(([path]) => `0 ${noObject}\t${path}`),
    ...changed.map(({ file, mode, id }) => `${mode} ${id}\t${file.path}`),
  ];
  if (lines.length > 0)
    await git(place, ['update-index', '--add', '--replace', '-z', '--index-info'], { input: lines.join('\0') });
  const tree = await gitLine(place, ['write-tree']);
  await known.replace(stored.map(({ file, id }) => ({ path: file.path, stats: file.stats, id })));
  return { tree, skipped };
}

/** Puts the content of files that changed into the store. */
async function storeFiles(place: Place, files: WorkFile[], known: KnownFiles, skipped: string[]): Promise<Stored[]> {
  const stored: Stored[] = [];
  const changed: WorkFile[] = [];
  for (const file of files) {
    const id = known.find(file.path, fingerprintOf(file.stats));
    if (id !== undefined) stored.push({ file, id, mode: modeOf(file) });
    else if (file.kind === 'link' || (await isReadable(join(place.workTree, file.path)))) changed.push(file);
    else skipped.push(file.path);
  }
  if (changed.length === 0) return stored;
  const links = join(place.gitDir, `draft-${randomUUID()}`);
  try {
    await mkdir(links, { mode: 0o700 });
    const sources: string[] = [];
    for (const [index, { path, kind }] of changed.entries()) {
      const source = join(place.workTree, path);
      if (kind === 'file') sources.push(source);
      else {
        // What git keeps of a link is its target.
        await writeFile(join(links, String(index)), await readlink(source, 'buffer'));
        sources.push(join(links, String(index)));
      }
    }
    const ids = await hash(place, sources);
    return [...stored, ...changed.map((file, index) => ({ file, id: ids[index] as string, mode: modeOf(file) }))];
  } finally {
    await deleteTree(links);
  }
}

async function hash(place: GitPlace, sources: string[]): Promise<string[]> {
  const args = ['hash-object', '-w', '--no-filters', '--stdin-paths'];
  const answer = await gitLine(place, args, { input: sources.map(quoted).join('\n'), work: 'large' });
  return answer.split('\n');
}

/** As C writes strings: names may hold line ends and quotes. */
const quoted = (path: string) =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what has to be written otherwise
  `"${path.replace(/["\\\0-\x1f\x7f]/g, (char) => `\\${char.charCodeAt(0).toString(8).padStart(3, '0')}`)}"`;

const modeOf = ({ kind, stats }: WorkFile) =>
  kind === 'link' ? linkMode : (Number(stats.mode) & 0o100) === 0 ? '100644' : '100755';

const isReadable = (path: string) =>
  access(path, constants.R_OK).then(
    () => true,
    () => false,
  );
