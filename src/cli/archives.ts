// Archives: what other systems have exported is taken in, and what this server holds is written out.
import { createWriteStream, existsSync, openAsBlob } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { brokenOff } from '../client/api-error.ts';
import type { Client, ImportDto } from '../client/index.ts';
import { CommandError, exitCodes } from './failures.ts';
import type { Printer } from './output.ts';

interface Reached {
  client: Client;
  url: string;
}

/** Between two looks at an import, in ms. */
const lookMs = 500;

/** Uploads an archive, waits until it is read, and commits it where that is asked for; answers the exit code. */
export async function importArchive(
  { client, url }: Reached,
  printer: Printer,
  file: string,
  options: { identity?: number; commit?: boolean },
): Promise<number> {
  const form = new FormData();
  if (options.identity) form.set('identityId', String(options.identity));
  form.set('file', await contentOf(file), basename(file));
  let now = (await client.request({ method: 'POST', path: '/api/import/upload', body: form })) as ImportDto;
  printer.remark(`Import ${now.id}: ${basename(file)} is uploaded.`);
  now = await settled(client, printer, now, ['Parsing', 'Scrubbing']);
  if (options.commit && now.statusId === 'ReadyForReview') {
    const begun = await client.imports.commit({ params: { id: now.id }, body: {} });
    now = await settled(client, printer, begun, ['Committing']);
  }
  if (printer.isJson) printer.json(now);
  else printer.line(outcome(now, url));
  return now.statusId === 'Failed' ? exitCodes.failed : exitCodes.done;
}

/** @throws CommandError for a file that is not there, is no file, or is another's */
async function contentOf(file: string): Promise<Blob> {
  const unread = (why: string) => new CommandError(`${file} cannot be read: ${why}`, exitCodes.usage);
  try {
    // What fails at its first piece would be taken for a server that is gone.
    const opened = await open(file);
    const isFolder = (await opened.stat()).isDirectory();
    await opened.close();
    if (isFolder) throw unread('it is a folder');
    return await openAsBlob(file);
  } catch (error) {
    throw error instanceof CommandError ? error : unread((error as Error).message);
  }
}

async function settled(client: Client, printer: Printer, first: ImportDto, under: string[]): Promise<ImportDto> {
  let now = first;
  let said = '';
  while (under.includes(now.statusId)) {
    if (now.statusId !== said) printer.remark(printer.paint('dim', `… ${now.statusId}`));
    said = now.statusId;
    await new Promise((resolve) => setTimeout(resolve, lookMs));
    now = await client.imports.get({ params: { id: now.id } });
  }
  return now;
}

function outcome({ id, statusId, errorMessage }: ImportDto, url: string): string {
  if (statusId === 'Failed') return `Import ${id} failed: ${errorMessage ?? 'the server says no more'}`;
  if (statusId === 'ReadyForReview') return `Import ${id} waits for your review: ${url}/#/imports/${id}`;
  return `Import ${id}: ${statusId}`;
}

export interface ExportOptions {
  identity?: number;
  chat?: number;
  portable?: boolean;
  out: string;
}

function pathOf({ identity, chat, portable }: ExportOptions): string {
  if (chat && identity) throw new CommandError('Give --identity or --chat, not both.', exitCodes.usage);
  if (portable && !identity) throw new CommandError('--portable asks for --identity as well.', exitCodes.usage);
  if (chat) return `/api/export/chatsession/${chat}/dti`;
  if (identity) return `/api/export/identity/${identity}${portable ? '/portable' : ''}`;
  return '/api/export/tenant';
}

const isThere = (file: string) =>
  new CommandError(`${file} is there already; it was not written over.`, exitCodes.usage);

/** What is said of a place that cannot be written to, or of an export that broke off. */
function unwritten(place: string, error: NodeJS.ErrnoException): Error {
  if (error instanceof CommandError) return error;
  return error.syscall === undefined
    ? brokenOff(error)
    : new CommandError(`${place} cannot be written: ${error.message}`, exitCodes.usage);
}

/** Streams an export into a file that is not there yet, or to the output. What breaks off leaves no file. */
export async function exportArchive({ client }: Reached, printer: Printer, options: ExportOptions): Promise<void> {
  if (options.out !== '-' && existsSync(options.out)) throw isThere(options.out);
  const { body } = await client.fetch({ method: 'GET', path: pathOf(options) });
  if (!body) throw new CommandError('The server answered nothing.');
  const source = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
  if (options.out === '-') {
    await pipeline(source, process.stdout, { end: false }).catch((error: Error) => {
      throw unwritten('The output', error);
    });
    return;
  }
  let bytes = 0;
  source.on('data', (piece: Buffer) => {
    bytes += piece.length;
  });
  // A command that is killed leaves a file whose name tells that it is not whole.
  const part = `${options.out}.part`;
  try {
    await pipeline(source, createWriteStream(part, { mode: 0o600 }));
    if (existsSync(options.out)) throw isThere(options.out);
    await rename(part, options.out);
  } catch (error) {
    throw unwritten(options.out, error as Error);
  } finally {
    await rm(part, { force: true });
  }
  if (printer.isJson) printer.json({ file: options.out, bytes });
  else printer.line(`Wrote ${options.out}: ${(bytes / 1e6).toFixed(1)} MB.`);
}
