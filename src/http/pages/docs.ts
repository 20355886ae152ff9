// The reference page: RapiDoc, from its own package, over the OpenAPI document.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Exchange, HeaderList } from '../adapter.ts';
import { openFiles } from './files.ts';

const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Rivulet reference</title>
<script type="module" src="/docs/rapidoc-min.js"></script>
<rapi-doc spec-url="/openapi/v1.json" render-style="focused" show-header="false" load-fonts="false" theme="light"
  primary-color="#0f766e" regular-font="system-ui, sans-serif" mono-font="ui-monospace, monospace"
  schema-style="table" allow-spec-url-load="false" allow-spec-file-load="false" persist-auth="false"></rapi-doc>
</html>
`;

const headers: HeaderList = [
  ['content-type', 'text/html; charset=utf-8'],
  [
    'content-security-policy',
    "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; frame-ancestors 'none'",
  ],
  ['cache-control', 'no-cache'],
  ['x-content-type-options', 'nosniff'],
];
const script = 'rapidoc-min.js';

/** Answers `GET /docs` and its script; false for anything else. */
export function createDocsPage(): (exchange: Exchange) => boolean | Promise<boolean> {
  const files = openFiles(dirname(fileURLToPath(import.meta.resolve('rapidoc/dist/rapidoc-min.js'))));
  return (exchange) => {
    if (exchange.method !== 'GET' && exchange.method !== 'HEAD') return false;
    if (exchange.path === '/docs' || exchange.path === '/docs/') {
      exchange.send(200, headers, exchange.method === 'HEAD' ? '' : html);
      return true;
    }
    if (exchange.path !== `/docs/${script}`) return false;
    return files.send(exchange, script, [['cache-control', 'public, max-age=86400']]).then(() => true);
  };
}
