// Serves the dashboard: its files, and its one page for every address that is not the server's own.
import type { Exchange, HeaderList } from '../adapter.ts';
import { openFiles } from './files.ts';

/** Addresses that belong to the server, whatever the dashboard calls its pages. */
const reserved = /^\/(api|v1|openapi|docs|mcp|socket\.io|assets)(\/|$)/;

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

/** Answers GET and HEAD outside the server's own addresses; false for anything else. */
export function createDashboardPages(folder: string): (exchange: Exchange) => boolean | Promise<true> {
  const files = openFiles(folder);
  return (exchange) => {
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD') return false;
    const path = exchange.path.slice(1);
    if (path !== 'index.html' && files.has(path))
      return files.send(exchange, path, path.startsWith('assets/') ? immutable : fresh).then(() => true as const);
    // A file that is not there is not a page of the dashboard.
    if (reserved.test(exchange.path) || (/\.\w+$/.test(path) && path !== 'index.html')) return false;
    if (files.has('index.html')) return files.send(exchange, 'index.html', page).then(() => true as const);
    if (path !== '') return false;
    exchange.send(
      200,
      [
        ['content-type', 'text/plain; charset=utf-8'],
        ['cache-control', 'no-store'],
      ],
      unbuilt,
    );
    return true;
  };
}
