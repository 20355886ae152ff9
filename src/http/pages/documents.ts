// Serves the documents of the interface, each built once when it is first asked for: OpenAPI and AsyncAPI.
import type { Exchange, HeaderList } from '../adapter.ts';

const headers: HeaderList = [
  ['content-type', 'application/json; charset=utf-8'],
  ['cache-control', 'no-cache'],
  ['access-control-allow-origin', '*'],
];

/** Answers GET of each path with its document; false for anything else. */
export function createDocumentPages(
  documents: Readonly<Record<string, () => object>>,
): (exchange: Exchange) => boolean {
  const texts = new Map<string, string>();
  return (exchange) => {
    const build = Object.hasOwn(documents, exchange.path) ? documents[exchange.path] : undefined;
    if (!build || exchange.method !== 'GET') return false;
    const text = texts.get(exchange.path) ?? JSON.stringify(build());
    texts.set(exchange.path, text);
    exchange.send(200, headers, text);
    return true;
  };
}
