// The reference page: the OpenAPI document as HTML that needs no script, and one that searches it; built once.

import { buildOpenApi } from '../../contract/openapi/document.ts';
import type { Group } from '../../contract/operation.ts';
import type { Exchange, HeaderList } from '../adapter.ts';
import { keptText } from '../compressed.ts';
import { referencePage } from './reference.ts';
import { searchScript } from './reference-search.ts';

const headers: HeaderList = [
  ['content-type', 'text/html; charset=utf-8'],
  [
    'content-security-policy',
    "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ],
  ['cache-control', 'no-cache'],
  ['x-content-type-options', 'nosniff'],
];

const scriptHeaders: HeaderList = [
  ['content-type', 'text/javascript; charset=utf-8'],
  ['cache-control', 'no-cache'],
  ['x-content-type-options', 'nosniff'],
];
const scriptPath = '/docs/search.js';

/** Answers `GET /docs` and its script; false for anything else. */
export function createDocsPage(
  groups: readonly Group[],
  version: string,
): (exchange: Exchange) => boolean | Promise<true> {
  const send = keptText(() => referencePage(buildOpenApi(groups, { version }), scriptPath));
  const sendScript = keptText(() => searchScript);
  return (exchange) => {
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD') return false;
    if (exchange.path === scriptPath) return sendScript(exchange, scriptHeaders);
    return /^\/docs\/?$/.test(exchange.path) ? send(exchange, headers) : false;
  };
}
