// What a figure depends on besides the code: the machine, its load, and the versions of what runs on it.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { cpus, loadavg, platform, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';

/** Where peers are installed, once for all checkouts. */
export function cacheFolder(name: string): string {
  const folder = join(tmpdir(), 'rivulet-bench', name);
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** First line of what a program prints, e.g. its version; null where it is missing. */
export function firstLine(command: string, ...words: string[]): string | null {
  try {
    return execFileSync(command, words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).split('\n')[0] ?? '';
  } catch {
    return null;
  }
}

// biome-ignore lint/suspicious/noTemplateCurlyInString: dpkg's own template
const versionFormat = '-f=${Version}';

/** Version of a Debian package; null where it is not installed. */
export const debianVersion = (name: string): string | null => firstLine('dpkg-query', '-W', versionFormat, name);

/** Version of a package under a folder with `node_modules`; null where it is not installed. */
export function packageVersion(folder: string, name: string): string | null {
  try {
    return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version;
  } catch {
    return null;
  }
}

/** One sentence about this machine and what else it does. */
export function describeMachine(): string {
  const [cpu] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const load = loadavg()
    .map((value) => value.toFixed(1))
    .join(' ');
  return `${cpus().length} cores (${cpu?.model.trim()}), ${memory}, ${platform()} ${release()}, Node ${process.versions.node}; load average at the start ${load}`;
}

/** Keeps a process, and what it starts from then on, on one core, where that is possible. */
export function pin(pid: number | undefined, core: number): void {
  if (cpus().length < 2 || !pid) return;
  firstLine('taskset', '-acp', String(core), String(pid));
}
