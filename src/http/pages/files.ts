// A folder of built files: listed once, compressed when first asked for, then kept in memory.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import mime from 'mime';
import type { Exchange, HeaderList } from '../adapter.ts';

const gzipped = promisify(gzip);
const brotlied = promisify(brotliCompress);
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
const compressible = /^(text\/|application\/(javascript|json|manifest\+json)|image\/svg)/;

interface LoadedFile {
  mediaType: string;
  etag: string;
  /** By content encoding; `identity` is always there. */
  bytes: { identity: Buffer; gzip?: Buffer; br?: Buffer };
}

export interface Files {
  has(path: string): boolean;
  /** Sends a file that `has` knows, or 304 when the client has it; with a status of its own where it is given. */
  send(exchange: Exchange, path: string, headers: HeaderList, status?: number): Promise<void>;
}

/**
 * Serves what is in `folder` now; paths are relative, with forward slashes. Nothing outside it can be named.
 * A file is read when it is first asked for; with `isReplaced`, for a folder that a build may empty, all are at once.
 */
export function openFiles(folder: string, { isReplaced = false } = {}): Files {
  const known = new Set(existsSync(folder) ? list(folder, '') : []);
  const read = isReplaced ? readAll(folder, known) : (path: string) => readFile(join(folder, path));
  const loaded = new Map<string, Promise<LoadedFile>>();
  return {
    has: (path) => known.has(path),
    send: async (exchange, path, headers, status = 200) => {
      let file = loaded.get(path);
      if (!file) {
        file = load(path, read, known.has(`${path}.br`));
        loaded.set(path, file);
        file.catch(() => loaded.delete(path));
      }
      sendLoaded(exchange, await file, headers, status);
    },
  };
}

function list(folder: string, prefix: string): string[] {
  return readdirSync(join(folder, prefix), { withFileTypes: true }).flatMap((entry) => {
    const path = prefix ? `${prefix}/${entry.name}` : entry.name;
    return entry.isDirectory() ? list(folder, path) : entry.isFile() ? [path] : [];
  });
}

type Read = (path: string) => Promise<Buffer>;

function readAll(folder: string, paths: Iterable<string>): Read {
  const bytes = new Map([...paths].map((path) => [path, readFileSync(join(folder, path))]));
  return async (path) => bytes.get(path) as Buffer;
}

/** `isPacked`: its build has compressed it already, better than is quick enough here. */
async function load(path: string, read: Read, isPacked: boolean): Promise<LoadedFile> {
  const identity = await read(path);
  const mediaType = mime.getType(path) ?? 'application/octet-stream';
  const etag = `"${createHash('sha256').update(identity).digest('base64url').slice(0, 27)}"`;
  if (!compressible.test(mediaType)) return { mediaType, etag, bytes: { identity } };
  const packed = isPacked ? read(`${path}.br`) : brotlied(identity, brotliOptions);
  const [zip, brotli] = await Promise.all([gzipped(identity, { level: 9 }), packed]);
  return { mediaType: `${mediaType}; charset=utf-8`, etag, bytes: { identity, gzip: zip, br: brotli } };
}

function sendLoaded(exchange: Exchange, file: LoadedFile, headers: HeaderList, status: number): void {
  const all: [string, string][] = [
    ['etag', file.etag],
    ['vary', 'accept-encoding'],
    ['x-content-type-options', 'nosniff'],
  ];
  for (const [name, value] of headers) all.push([name, value]);
  if (status === 200 && exchange.header('if-none-match') === file.etag) {
    exchange.send(304, all, '');
    return;
  }
  const accepted = exchange.header('accept-encoding') ?? '';
  const encoding =
    file.bytes.br && /\bbr\b/.test(accepted)
      ? 'br'
      : file.bytes.gzip && /\bgzip\b/.test(accepted)
        ? 'gzip'
        : 'identity';
  all.push(['content-type', file.mediaType]);
  if (encoding !== 'identity') all.push(['content-encoding', encoding]);
  exchange.send(status, all, exchange.method === 'HEAD' ? '' : (file.bytes[encoding] ?? file.bytes.identity));
}
