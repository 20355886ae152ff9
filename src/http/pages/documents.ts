// Serves the documents of the interface, each built when it is first asked for, and kept: OpenAPI and AsyncAPI.
import type { Exchange, HeaderList } from '../adapter.ts';
import { keptText } from '../compressed.ts';

const headers: HeaderList = [
  ['content-type', 'application/json; charset=utf-8'],
  ['cache-control', 'no-cache'],
  ['access-control-allow-origin', '*'],
];

/** Answers GET of each path with its document, built for `about` as it is now; false for anything else. */
export function createDocumentPages<About>(
  documents: Readonly<Record<string, (about: About) => object>>,
  aboutNow: () => About,
): (exchange: Exchange) => boolean | Promise<true> {
  const texts = new Map<string, ReturnType<typeof keptText>>();
  let about = aboutNow();
  return (exchange) => {
    if (about !== aboutNow()) texts.clear();
    about = aboutNow();
    const build = Object.hasOwn(documents, exchange.path) ? documents[exchange.path] : undefined;
    if (!build || exchange.method !== 'GET') return false;
    const send = texts.get(exchange.path) ?? keptText(() => JSON.stringify(build(about)));
    texts.set(exchange.path, send);
    return send(exchange, headers);
  };
}
