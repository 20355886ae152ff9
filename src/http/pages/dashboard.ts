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

/**
 * The page that shows artifacts: code that a model wrote. It has no origin, and neither it nor the frame within it, which
 * inherits this policy, may load, send or navigate anything (docs/adr/0029-artifacts.md).
 */
const artifact: HeaderList = [
  [
    'content-security-policy',
    "sandbox allow-scripts; default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; media-src data: blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
  ],
  ['cache-control', 'no-cache'],
  ['referrer-policy', 'no-referrer'],
  ['x-dns-prefetch-control', 'off'],
];

/** The page for frames of other sites: of those alone that the link names. */
const framed = (origins: readonly string[]): HeaderList => [
  [
    'content-security-policy',
    `default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors ${origins.length > 0 ? origins.join(' ') : "'none'"}`,
  ],
  ['cache-control', 'no-store'],
  ['referrer-policy', 'no-referrer'],
];
const guid = /^share=([0-9a-f-]{36})$/;

/** Origins whose pages may frame what a link shows, by the link's guid. */
export type Framers = (guid: string) => Promise<readonly string[]>;
const nobody: Framers = async () => [];

const unbuilt =
  'The dashboard is not built. Run "npm run build" and start the server again. The reference is at /docs.\n';

/**
 * Answers GET and HEAD of the page and its files; false for anything else. A browser that asks for a page of the
 * dashboard by its plain path (`/runs/7`) is sent to it (`/#/runs/7`); any other unknown address is not the dashboard's.
 */
export function createDashboardPages(
  folder: string,
  framers: Framers = nobody,
): (exchange: Exchange) => boolean | Promise<true> {
  // A newer version may be built while the server is at work: open pages go on with the parts of their own build.
  const files = openFiles(folder, { isReplaced: true });
  const isPage = pageMatcher(join(folder, 'pages.json'));
  const serve = (exchange: Exchange, file: string, headers: HeaderList) =>
    files.send(exchange, file, headers).then(() => true as const);
  const serveFramed = async (exchange: Exchange) => {
    const share = guid.exec(exchange.query)?.[1];
    return serve(exchange, 'embed.html', framed(share === undefined ? [] : await framers(share)));
  };
  return (exchange) => {
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD') return false;
    const path = exchange.path.slice(1);
    if (path === '' || path === 'index.html')
      return files.has('index.html') ? serve(exchange, 'index.html', page) : sendUnbuilt(exchange);
    if (path === 'artifact.html' && files.has(path)) return serve(exchange, path, artifact);
    if (path === 'embed.html' && files.has(path)) return serveFramed(exchange);
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
