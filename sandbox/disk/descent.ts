// Descent: a position in a tree that others may change meanwhile; it moves one step at a time and follows no link.
import { constants } from 'node:fs';
import { chmod, type FileHandle, lstat, open, opendir } from 'node:fs/promises';
import { join } from 'node:path';
import { geteuid } from 'node:process';

const openFolder = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** Open without reading: works on a folder whose permission bits shut out its own owner. Linux only. */
const O_PATH = 0o10000000;
/**
 * Number of folders that stay open from the top; deeper ones are left through `..`, so that descriptors do not run
 * out.
 */
const keptOpen = 64;
/** Error codes of a folder that is gone, is no folder any more, or is not accessible. */
const notEntered = ['ENOENT', 'ENOTDIR', 'ELOOP', 'EACCES', 'EPERM'];
const hasProc = process.platform === 'linux';

interface Level {
  dev: bigint;
  ino: bigint;
  /** Null once closed. */
  handle: FileHandle | null;
  /** Path, only where paths cannot go through descriptors. */
  path: string;
}

export class Descent {
  readonly #levels: Level[] = [];
  readonly #needs: number;

  private constructor(needs: number) {
    this.#needs = needs;
  }

  /**
   * Opens a folder; null when it is none. A folder whose owner lacks the permissions in `needs`, such as 0o700, gets
   * them.
   */
  static async open(root: string, { needs = 0 } = {}): Promise<Descent | null> {
    const descent = new Descent(needs);
    return (await descent.#enter(root, root)) ? descent : null;
  }

  /** Number of folders above this one. */
  get depth(): number {
    return this.#levels.length - 1;
  }

  /** Path of the folder: short, and valid until the next step. */
  get here(): string {
    const { handle, path } = this.#levels.at(-1) as Level;
    return hasProc ? `/proc/self/fd/${(handle as FileHandle).fd}` : path;
  }

  /** Path of a name in the folder; must not be followed. */
  at(name: string | Buffer): string | Buffer {
    return typeof name === 'string' ? join(this.here, name) : Buffer.concat([Buffer.from(`${this.here}/`), name]);
  }

  /** Enters a folder; false when it cannot be entered. */
  async down(name: string | Buffer): Promise<boolean> {
    const from = this.#levels.at(-1) as Level;
    if (!(await this.#enter(this.at(name), hasProc ? '' : join(from.path, name.toString())))) return false;
    if (hasProc && this.#levels.length > keptOpen) {
      await from.handle?.close();
      from.handle = null;
    }
    return true;
  }

  /** Returns to the parent; false when the folder was moved away meanwhile. */
  async up(): Promise<boolean> {
    const from = this.#levels.at(-1) as Level;
    const to = this.#levels.at(-2) as Level;
    const above = to.handle ?? (await open(`${this.here}/..`, openFolder).catch(() => null));
    const found = to.handle ? to : await above?.stat({ bigint: true });
    const isSame = found?.dev === to.dev && found.ino === to.ino;
    if (!isSame) await above?.close();
    else {
      to.handle = above;
      this.#levels.pop();
      await from.handle?.close();
    }
    return isSame;
  }

  async close(): Promise<void> {
    for (const { handle } of this.#levels.splice(0)) await handle?.close();
  }

  async #enter(at: string | Buffer, path: string): Promise<boolean> {
    const handle = await open(at, openFolder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'EACCES' && this.#needs > 0) return openForced(at);
      if (notEntered.includes(error.code ?? '')) return null;
      throw error;
    });
    if (!handle) return false;
    const { dev, ino, mode } = await handle.stat({ bigint: true });
    // Root needs no permissions.
    if (geteuid?.() !== 0 && (Number(mode) & this.#needs) !== this.#needs) await handle.chmod(0o700).catch(() => {});
    this.#levels.push({ dev, ino, handle, path });
    return true;
  }
}

async function openForced(at: string | Buffer): Promise<FileHandle | null> {
  const closed = await open(at, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW).catch(() => null);
  try {
    if (!closed || !hasProc) return null;
    await chmod(`/proc/self/fd/${closed.fd}`, 0o700);
    return await open(at, openFolder);
  } catch {
    return null;
  } finally {
    await closed?.close();
  }
}

/** Stats of a name without following it; null when it is gone. */
export const look = (descent: Descent, name: string | Buffer) => lstat(descent.at(name)).catch(() => null);

/** Names in the folder as bytes, since they need not be text. */
export async function* namesIn(descent: Descent): AsyncGenerator<Buffer> {
  const entries = await opendir(descent.here, { encoding: 'buffer' as BufferEncoding }).catch(() => null);
  if (entries) for await (const { name } of entries) yield name as unknown as Buffer;
}
