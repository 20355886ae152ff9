// Serves the built dashboard: a handful of files, compressed once and kept in memory.
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, normalize, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import mime from 'mime';
import type { Exchange, HeaderList } from './adapter.ts';

/** Scripts come from files of ours only; styles may be set by scripts, as the terminal does. */
const policy = [
  "default-src 'self'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "connect-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'self'",
  "frame-ancestors 'none'",
].join('; ');

interface Kept {
  mediaType: string;
  plain: Buffer;
  gzip: Buffer | null;
  brotli: Buffer | null;
  /** Its name holds a hash of its content. */
  immutable: boolean;
}

const compressible = /^(text|application\/(json|javascript)|image\/svg)/;

/** The folder of the built dashboard, found from this module upwards; null when it was not built. */
export function findDashboard(from: string = fileURLToPath(import.meta.url)): string | null {
  for (let folder = dirname(from); folder !== dirname(folder); folder = dirname(folder)) {
    const built = join(folder, 'dist', 'web');
    if (existsSync(join(built, 'index.html'))) return built;
  }
  return null;
}

async function load(folder: string, path: string): Promise<Kept | null> {
  const name = path === '/' ? 'index.html' : normalize(decodeURIComponent(path)).slice(1);
  const file = join(folder, name);
  if (!file.startsWith(folder + sep) || name.includes('\0')) return null;
  const plain = await readFile(file).catch(() => null);
  if (!plain) return null;
  const mediaType = mime.getType(file) ?? 'application/octet-stream';
  const text = compressible.test(mediaType);
  const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };
  return {
    mediaType: text ? `${mediaType}; charset=utf-8` : mediaType,
    plain,
    gzip: text ? await promisify(gzip)(plain) : null,
    brotli: text ? await promisify(brotliCompress)(plain, brotliOptions) : null,
    immutable: name.startsWith('assets/'),
  };
}

/** Answers GET and HEAD of the dashboard's files; false for anything else. */
export function createDashboardPages(folder: string): (exchange: Exchange) => Promise<boolean> {
  const kept = new Map<string, Promise<Kept | null>>();
  return async (exchange) => {
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD') return false;
    const { path } = exchange;
    if (path !== '/' && !/^\/(assets\/)?[\w.-]+\.[a-z0-9]+$/i.test(path)) return false;
    const found = kept.get(path) ?? load(folder, path);
    const page = await found;
    if (!page) return false;
    kept.set(path, found);
    const accepted = exchange.header('accept-encoding') ?? '';
    const encoding =
      page.brotli && /\bbr\b/.test(accepted) ? 'br' : page.gzip && /\bgzip\b/.test(accepted) ? 'gzip' : null;
    const body = (encoding === 'br' ? page.brotli : encoding === 'gzip' ? page.gzip : page.plain) ?? page.plain;
    const headers: HeaderList = [
      ['content-type', page.mediaType],
      ['cache-control', page.immutable ? 'public, max-age=31536000, immutable' : 'no-cache'],
      ['vary', 'accept-encoding'],
      ['content-security-policy', policy],
      ['x-content-type-options', 'nosniff'],
      ['x-frame-options', 'DENY'],
      ['referrer-policy', 'no-referrer'],
      ...(encoding ? [['content-encoding', encoding] as const] : []),
    ];
    exchange.send(200, headers, exchange.method === 'HEAD' ? '' : body);
    return true;
  };
}
