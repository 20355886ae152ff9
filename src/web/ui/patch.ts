// Reads a unified diff into files, hunks and numbered lines.

export interface PatchLine {
  kind: 'same' | 'added' | 'removed';
  text: string;
  before: number | null;
  after: number | null;
}

export interface Hunk {
  head: string;
  lines: PatchLine[];
}

export interface PatchFile {
  path: string;
  hunks: Hunk[];
}

const unquote = (path: string) => path.replace(/^"(.*)"$/, '$1').replace(/^[ab]\//, '');

/** Lines before the first file are ignored; a cut-off patch gives what is there. */
export function readPatch(patch: string): PatchFile[] {
  const files: PatchFile[] = [];
  let hunk: Hunk | null = null;
  let before = 0;
  let after = 0;
  for (const line of patch.split('\n')) {
    const file = files.at(-1);
    const start = /^diff --git (?:"?a\/.*"?) ("?b\/.*)$/.exec(line);
    const range = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@(.*)$/.exec(line);
    if (start) {
      files.push({ path: unquote(start[1] ?? ''), hunks: [] });
      hunk = null;
    } else if (range && file) {
      [before, after] = [Number(range[1]), Number(range[2])];
      hunk = { head: line, lines: [] };
      file.hunks.push(hunk);
    } else if (hunk && line.startsWith('+'))
      hunk.lines.push({ kind: 'added', text: line.slice(1), before: null, after: after++ });
    else if (hunk && line.startsWith('-'))
      hunk.lines.push({ kind: 'removed', text: line.slice(1), before: before++, after: null });
    else if (hunk && line.startsWith(' '))
      hunk.lines.push({ kind: 'same', text: line.slice(1), before: before++, after: after++ });
  }
  return files;
}
