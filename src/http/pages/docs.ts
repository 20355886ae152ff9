// The reference page: the OpenAPI document as plain HTML, without scripts, built once when it is first asked for.

import { buildOpenApi } from '../../contract/openapi/document.ts';
import type { Group } from '../../contract/operation.ts';
import type { Exchange, HeaderList } from '../adapter.ts';
import { keptText } from '../compressed.ts';
import { referencePage } from './reference.ts';

const headers: HeaderList = [
  ['content-type', 'text/html; charset=utf-8'],
  [
    'content-security-policy',
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ],
  ['cache-control', 'no-cache'],
  ['x-content-type-options', 'nosniff'],
];

/** Answers `GET /docs`; false for anything else. */
export function createDocsPage(
  groups: readonly Group[],
  version: string,
): (exchange: Exchange) => boolean | Promise<true> {
  const send = keptText(() => referencePage(buildOpenApi(groups, { version })));
  return (exchange) => {
    if ((exchange.method !== 'GET' && exchange.method !== 'HEAD') || !/^\/docs\/?$/.test(exchange.path)) return false;
    return send(exchange, headers);
  };
}
