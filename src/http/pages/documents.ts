// Serves the documents of the interface, each built once when it is first asked for: OpenAPI and AsyncAPI.
import type { Exchange, HeaderList } from '../adapter.ts';
import { keptText } from '../compressed.ts';

const headers: HeaderList = [
  ['content-type', 'application/json; charset=utf-8'],
  ['cache-control', 'no-cache'],
  ['access-control-allow-origin', '*'],
];

/** Answers GET of each path with its document; false for anything else. */
export function createDocumentPages(
  documents: Readonly<Record<string, () => object>>,
): (exchange: Exchange) => boolean | Promise<true> {
  const texts = new Map<string, ReturnType<typeof keptText>>();
  return (exchange) => {
    const build = Object.hasOwn(documents, exchange.path) ? documents[exchange.path] : undefined;
    if (!build || exchange.method !== 'GET') return false;
    const send = texts.get(exchange.path) ?? keptText(() => JSON.stringify(build()));
    texts.set(exchange.path, send);
    return send(exchange, headers);
  };
}
