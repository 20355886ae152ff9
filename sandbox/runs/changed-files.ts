// What the commands of a run change in its workspace: a look before each command and one after it.
import { createHash } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { EventDraft, RunRecord } from '../../runtime/records.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import type { ChangedFile, FilesChanged } from '../../src/ports/files.ts';
import { worktreeGitDir } from '../workspace/check-out.ts';
import { type Change, changesBetween, type Scan, scanWork } from '../workspace/scan.ts';
import { createQueue, type Workspace } from '../workspace/workspace.ts';

/** A command: its key is the same in all attempts of its call. */
export interface CommandCall {
  key: string;
  callId: string;
}

/** What is found out about a run's command, for its log. */
export interface Found {
  set: Pick<RunRecord, 'filesTold'>;
  events: EventDraft[];
}

export interface Told {
  /** Of the run, as it stands. */
  filesTold: RunRecord['filesTold'];
  /** Takes secrets out of a text. */
  scrub(text: string): string;
}

interface Begun extends CommandCall {
  before: Scan;
}

/** Most files that one event names. */
const mostFiles = 200;
/** Bytes of the texts of one file, of one command and of one run. */
const textBytes = { file: 32 * 1024, command: 128 * 1024, run: 1024 * 1024 };
/** Bytes of one file and of one command that are read for digests. */
const digestBytes = { file: 32 * 1024 * 1024, command: 64 * 1024 * 1024 };

const nothing: Scan = { files: new Map(), isCut: false };

/**
 * Follows the commands in one workspace. What an interrupted command had changed is told with the next one, also by
 * another process: what it found is kept beside the workspace.
 */
export class ChangedFiles {
  readonly #workspace: Workspace;
  readonly #clock: Clock;
  readonly #inTurn = createQueue();
  readonly #running = new Map<string, CommandCall>();
  /** Files as last told of, while commands run. */
  #seen: Scan = nothing;
  /** What the changes of a command are told against that is interrupted now. */
  #base: Scan = nothing;
  #interrupted: Begun | null = null;
  #isFirst = true;

  constructor(workspace: Workspace, clock: Clock) {
    this.#workspace = workspace;
    this.#clock = clock;
  }

  /** Call it before a command starts. Returns what a command that was interrupted earlier had changed. */
  begin(call: CommandCall, told: Told): Promise<Found | null> {
    return this.#inTurn(async () => {
      let found: Found | null = null;
      if (this.#running.size === 0) {
        const now = await this.#scan();
        const earlier = this.#interrupted ?? (this.#isFirst ? await this.#leftBehind(told) : null);
        this.#isFirst = false;
        this.#interrupted = null;
        this.#seen = now;
        this.#base = earlier?.before ?? now;
        if (earlier) found = await this.#found(earlier, now, told, { wasInterrupted: true });
      }
      this.#running.set(call.key, call);
      await this.#keep();
      return found;
    });
  }

  /** Call it after a command has ended. */
  end(call: CommandCall, told: Told): Promise<Found> {
    return this.#inTurn(async () => {
      const begun = { ...call, before: this.#seen };
      // Its beginning may have failed.
      if (!this.#running.delete(call.key)) return { set: {}, events: [] };
      const now = await this.#scan();
      this.#seen = this.#base = this.#running.size > 0 ? now : nothing;
      if (this.#running.size > 0) await this.#keep();
      return this.#found(begun, now, told);
    });
  }

  /** Call it for a command whose outcome is not told. */
  giveUp(call: CommandCall): Promise<void> {
    return this.#inTurn(async () => {
      if (this.#running.delete(call.key)) this.#interrupted ??= { ...call, before: this.#base };
    });
  }

  /** Writes a file by another tool, so that it is not taken for the work of a command that runs meanwhile. */
  apart<Written extends { path: string }>(write: () => Promise<Written>): Promise<Written> {
    return this.#inTurn(async () => {
      const written = await write();
      if (this.#running.size > 0) {
        const look = (await this.#scan()).files.get(written.path);
        if (look !== undefined) this.#seen.files.set(written.path, look);
      }
      return written;
    });
  }

  #scan = () => scanWork(this.#workspace.directory, this.#clock);

  get #file(): string {
    return join(worktreeGitDir(this.#workspace.store.directory, this.#workspace.key), 'rivulet-command');
  }

  /** Keeps what a process needs that takes over. */
  async #keep(): Promise<void> {
    const [first] = this.#running.values();
    const { files, isCut } = this.#base;
    await writeFile(`${this.#file}.new`, JSON.stringify({ ...first, isCut, files: [...files] }), { mode: 0o600 });
    await rename(`${this.#file}.new`, this.#file);
  }

  /** The command that a dead process has left, unless its changes are told. */
  async #leftBehind({ filesTold }: Told): Promise<Begun | null> {
    try {
      const { key, callId, isCut, files } = JSON.parse(await readFile(this.#file, 'utf8'));
      return key === filesTold?.key ? null : { key, callId, before: { isCut, files: new Map(files) } };
    } catch {
      // None was left, or it was cut off.
      return null;
    }
  }

  async #found(begun: Begun, now: Scan, told: Told, how: Pick<FilesChanged, 'wasInterrupted'> = {}): Promise<Found> {
    const changes = changesBetween(begun.before, now);
    const bytes = told.filesTold?.bytes ?? 0;
    const read = { texts: Math.min(textBytes.command, textBytes.run - bytes), digests: digestBytes.command };
    const before = read.texts;
    const files: ChangedFile[] = [];
    const named = changes.slice(0, mostFiles);
    const written = named.filter(({ changeType, isLink }) => changeType !== 'Deleted' && !isLink);
    await this.#workspace.files.sync(written.map(({ path }) => path));
    for (const change of named) files.push(await this.#read(change, read, told.scrub));
    const set = { filesTold: { key: begun.key, bytes: bytes + before - read.texts } };
    if (files.length === 0) return { set, events: [] };
    const payload: FilesChanged = {
      by: 'shell_exec',
      files,
      ...(changes.length > files.length && { more: changes.length - files.length }),
      ...((begun.before.isCut || now.isCut) && { isPartial: true }),
      ...how,
    };
    const title = `${files[0]?.path}${changes.length > 1 ? ` and ${changes.length - 1} more` : ''}`;
    return { set, events: [{ type: 'FileChanged', title, toolName: 'shell_exec', toolCallId: begun.callId, payload }] };
  }

  /** A changed file with its text or its digest, as far as `left` goes. */
  async #read(
    { path, changeType, isLink }: Change,
    left: { texts: number; digests: number },
    scrub: Told['scrub'],
  ): Promise<ChangedFile> {
    if (changeType === 'Deleted') return { path, changeType };
    if (isLink) return { path, changeType, sizeBytes: 0 };
    const { files } = this.#workspace;
    try {
      const { sizeBytes } = await files.info(path);
      const named: ChangedFile = { path, changeType, sizeBytes };
      if (sizeBytes <= textBytes.file && sizeBytes <= left.texts) {
        const { text } = await files.readText(path, textBytes.file);
        if (text !== null) {
          left.texts -= sizeBytes;
          return { ...named, text: scrub(text) };
        }
      }
      if (sizeBytes > digestBytes.file || sizeBytes > left.digests) return named;
      left.digests -= sizeBytes;
      const hash = createHash('sha256');
      for await (const chunk of (await files.openBytes(path)).body) hash.update(chunk);
      return { ...named, sha256: hash.digest('hex') };
    } catch {
      // The file is unreadable or gone.
      return { path, changeType };
    }
  }
}
