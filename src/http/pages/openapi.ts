// Serves the OpenAPI document, built once when it is first asked for.

import { buildOpenApi } from '../../contract/openapi/document.ts';
import type { Group } from '../../contract/operation.ts';
import type { Exchange } from '../adapter.ts';

/** Answers `GET /openapi/v1.json`; false for anything else. */
export function createOpenApiPage(groups: readonly Group[], version: string): (exchange: Exchange) => boolean {
  let text: string | undefined;
  return (exchange) => {
    if (exchange.path !== '/openapi/v1.json' || exchange.method !== 'GET') return false;
    text ??= JSON.stringify(buildOpenApi(groups, { version }));
    exchange.send(
      200,
      [
        ['content-type', 'application/json; charset=utf-8'],
        ['cache-control', 'no-cache'],
        ['access-control-allow-origin', '*'],
      ],
      text,
    );
    return true;
  };
}
