// Serves the built sites of projects, each page without any right of the dashboard that has the same origin.
import { decoded } from '../../kernel/decoded.ts';
import type { Exchange, HeaderList } from '../adapter.ts';
import { type Files, openFiles } from './files.ts';

/**
 * `sandbox` without `allow-same-origin` gives each page an origin of its own: no cookies, no storage, no requests in the
 * name of who reads it. Scripts are those of the site.
 */
const policy = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  'sandbox allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-top-navigation-by-user-activation',
].join('; ');
const headers: HeaderList = [
  ['content-security-policy', policy],
  ['cache-control', 'no-cache'],
  ['referrer-policy', 'no-referrer'],
  ['x-frame-options', 'DENY'],
];
const prefix = '/sites/';
/** Sites whose files are held in memory at once. */
const held = 20;

export interface ShownSites {
  /** The folder of the site of this name as it is shown now; null where none is. */
  folderOf(name: string): Promise<string | null>;
  /** Whether another server has built the site of this name into a folder that is not this one's. */
  isElsewhere(name: string): Promise<boolean>;
}

/** Answers GET and HEAD below `/sites/`; false for anything else. */
export function createSitePages({ folderOf, isElsewhere }: ShownSites): (exchange: Exchange) => false | Promise<true> {
  const open = new Map<string, Files>();
  const filesOf = (folder: string): Files => {
    const files = open.get(folder) ?? openFiles(folder);
    open.delete(folder);
    open.set(folder, files);
    for (const oldest of open.keys()) {
      if (open.size <= held) break;
      open.delete(oldest);
    }
    return files;
  };
  return (exchange) => {
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD') return false;
    if (!exchange.path.startsWith(prefix)) return false;
    return serve(exchange, { folderOf, isElsewhere }, filesOf);
  };
}

async function serve(
  exchange: Exchange,
  { folderOf, isElsewhere }: ShownSites,
  filesOf: (folder: string) => Files,
): Promise<true> {
  const [name = '', ...rest] = exchange.path.slice(prefix.length).split('/').map(decoded);
  const folder = name === '' ? null : await folderOf(name);
  if (folder === null) return sendMissing(exchange, name !== '' && (await isElsewhere(name)));
  if (rest.length === 0) {
    const query = exchange.query === '' ? '' : `?${exchange.query}`;
    exchange.send(302, [['location', `${prefix}${encodeURIComponent(name)}/${query}`], ...headers], '');
    return true;
  }
  const files = filesOf(folder);
  const path = rest.join('/') || 'index.html';
  const file = [path, `${path}.html`].find((one) => one !== 'manifest.json' && files.has(one));
  if (file) await files.send(exchange, file, headers);
  else if (files.has('404.html')) await files.send(exchange, '404.html', headers, 404);
  else sendMissing(exchange);
  return true;
}

function sendMissing(exchange: Exchange, isElsewhere = false): true {
  const plain = ['content-type', 'text/plain; charset=utf-8'] as const;
  const text = isElsewhere
    ? 'The files of this site are on another server: who runs the servers lets them share the folder sites of their data.\n'
    : 'There is no such site.\n';
  exchange.send(isElsewhere ? 503 : 404, [plain, ['x-content-type-options', 'nosniff'], ...headers], text);
  return true;
}
