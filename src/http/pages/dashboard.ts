// Serves the dashboard: its files, and its one page, which reads where it is from the hash of its address.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Exchange, HeaderList } from '../adapter.ts';
import { openFiles } from './files.ts';

/** Scripts come from this server only, without inline ones; styles may be set by scripts (the terminal does). */
const policy =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; worker-src 'self' blob:; object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

const page: HeaderList = [
  ['content-security-policy', policy],
  ['cache-control', 'no-cache'],
  ['referrer-policy', 'no-referrer'],
  ['x-frame-options', 'DENY'],
];
/** Built files carry a hash of their content in their name. */
const immutable: HeaderList = [['cache-control', 'public, max-age=31536000, immutable']];
const fresh: HeaderList = [['cache-control', 'no-cache']];

const unbuilt =
  'The dashboard is not built. Run "npm run build" and start the server again. The reference is at /docs.\n';

/**
 * Answers GET and HEAD of the page and its files; false for anything else. A browser that asks for a page of the
 * dashboard by its plain path (`/runs/7`) is sent to it (`/#/runs/7`); any other unknown address is not the dashboard's.
 */
export function createDashboardPages(folder: string): (exchange: Exchange) => boolean | Promise<true> {
  const files = openFiles(folder);
  const isPage = pageMatcher(join(folder, 'pages.json'));
  const serve = (exchange: Exchange, file: string, headers: HeaderList) =>
    files.send(exchange, file, headers).then(() => true as const);
  return (exchange) => {
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD') return false;
    const path = exchange.path.slice(1);
    if (path === '' || path === 'index.html')
      return files.has('index.html') ? serve(exchange, 'index.html', page) : sendUnbuilt(exchange);
    if (files.has(path) && path !== 'pages.json')
      return serve(exchange, path, path.startsWith('assets/') ? immutable : fresh);
    if (!exchange.header('accept')?.includes('text/html') || !isPage(exchange.path)) return false;
    const query = exchange.query === '' ? '' : `?${exchange.query}`;
    exchange.send(302, [['location', `/#${exchange.path}${query}`], ...page], '');
    return true;
  };
}

/** Tells the paths of pages, whose patterns (`/runs/:id`) the build has written down. */
function pageMatcher(file: string): (path: string) => boolean {
  const patterns = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as string[]) : [];
  const all = patterns.map((pattern) => pattern.split('/'));
  return (path) => {
    const segments = path.split('/');
    return all.some(
      (pattern) =>
        pattern.length === segments.length &&
        pattern.every((part, at) => (part.startsWith(':') ? segments[at] !== '' : part === segments[at])),
    );
  };
}

function sendUnbuilt(exchange: Exchange): true {
  exchange.send(
    200,
    [
      ['content-type', 'text/plain; charset=utf-8'],
      ['cache-control', 'no-store'],
    ],
    unbuilt,
  );
  return true;
}
