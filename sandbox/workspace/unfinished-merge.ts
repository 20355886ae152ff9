// A merge that changes files is recorded beforehand, so that one cut off by a crash is completed and not taken for the run's own work.
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SandboxUser } from '../user.ts';
import { applyTree } from './apply-tree.ts';
import type { GitPlace } from './git.ts';
import type { GitStore } from './store.ts';

export interface MergedBranch {
  place: Required<Pick<GitPlace, 'workTree'>> & GitPlace;
  store: GitStore;
  branch: string;
  user: SandboxUser;
}

interface Step {
  from: string;
  to: string;
}

const noteIn = (gitDir: string) => join(gitDir, 'rivulet-merge');

/** Brings the files and then the branch from one commit to another. */
export async function moveFiles(merged: MergedBranch, step: Step): Promise<void> {
  const { place, store, branch, user } = merged;
  await writeFile(noteIn(place.gitDir), JSON.stringify(step), { flush: true });
  await applyTree(place, user, step.from, step.to);
  await store.setBranch(branch, step.to, step.from);
  await rm(noteIn(place.gitDir), { force: true });
}

/** Completes what a server that died had begun. Call it before anything looks at the files. */
export async function completeMove(merged: MergedBranch): Promise<void> {
  const note = await readFile(noteIn(merged.place.gitDir), 'utf8').catch(() => null);
  if (note === null) return;
  const step = parse(note);
  if (step && (await merged.store.head(merged.branch)) === step.from) await moveFiles(merged, step);
  else await rm(noteIn(merged.place.gitDir), { force: true });
}

/** Null for a note that was itself cut off: no file had been touched then. */
function parse(note: string): Step | null {
  try {
    return JSON.parse(note) as Step;
  } catch {
    return null;
  }
}
