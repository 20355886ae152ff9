// Serves the OpenAPI document and a reference made from it, both built once when first asked for.
import { createHash } from 'node:crypto';
import { buildOpenApi } from '../contract/openapi/document.ts';
import type { Group } from '../contract/operation.ts';
import type { Exchange, HeaderList } from './adapter.ts';
import { script, style } from './reference/assets.ts';
import { type OpenApi, renderReference } from './reference/page.ts';

interface Page {
  mediaType: string;
  text: string;
  etag: string;
}

/** The page runs our own script and style files only and asks nobody else for anything. */
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const safety: HeaderList = [
  ['cache-control', 'no-cache'],
  ['x-content-type-options', 'nosniff'],
  ['referrer-policy', 'no-referrer'],
];

/** Answers GET and HEAD of `/openapi/v1.json` and `/docs`; false for anything else. */
export function createOpenApiPage(groups: readonly Group[], version: string): (exchange: Exchange) => boolean {
  const pages = new Map<string, Page>();
  let document: OpenApi | undefined;
  const built = () => {
    document ??= buildOpenApi(groups, { version }) as unknown as OpenApi;
    return document;
  };
  const makers: Record<string, () => Omit<Page, 'etag'>> = {
    '/openapi/v1.json': () => ({ mediaType: 'application/json', text: JSON.stringify(built()) }),
    '/docs': () => ({ mediaType: 'text/html', text: renderReference(built()) }),
    '/docs/reference.css': () => ({ mediaType: 'text/css', text: style }),
    '/docs/reference.js': () => ({ mediaType: 'text/javascript', text: script }),
  };
  const pageAt = (path: string): Page | null => {
    const made = pages.get(path);
    if (made) return made;
    const make = Object.hasOwn(makers, path) ? makers[path] : undefined;
    if (!make) return null;
    const { mediaType, text } = make();
    const page = { mediaType, text, etag: `"${createHash('sha256').update(text).digest('base64url').slice(0, 22)}"` };
    pages.set(path, page);
    return page;
  };
  return (exchange) => {
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD') return false;
    const page = pageAt(exchange.path === '/docs/' ? '/docs' : exchange.path);
    if (!page) return false;
    sendPage(exchange, page);
    return true;
  };
}

function sendPage(exchange: Exchange, { mediaType, text, etag }: Page): void {
  const headers: HeaderList = [
    ['content-type', `${mediaType}; charset=utf-8`],
    ['etag', etag],
    ...safety,
    // The document is public, and tools in other pages may read it.
    mediaType === 'application/json' ? ['access-control-allow-origin', '*'] : ['content-security-policy', policy],
  ];
  const known = exchange
    .header('if-none-match')
    ?.split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''));
  if (known?.includes(etag)) exchange.send(304, headers, '');
  else exchange.send(200, headers, text);
}
