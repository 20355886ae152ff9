// Holds that nothing goes out but by the door or the guard of addresses: who may open a connection is on a list, with why.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

/** Modules that connect by themselves, or begin to listen; of ours, the one that judges nothing. */
const connecting =
  /^(node:)?(http|https|http2|net|tls|dgram)$|^(undici|ws|ioredis|mongodb|pg|mysql2|imapflow|nodemailer|dockerode|aws4fetch)(\/|$)|^socket\.io(-client)?$|^@(qdrant|modelcontextprotocol\/client$|opentelemetry\/exporter|ai-sdk\/(openai|anthropic|google|openai-compatible))|\/outbound-fetch\.ts$/;

/** Files that may, by what their calls are judged by. */
const ways: Readonly<Record<string, readonly string[]>> = {
  'the door itself and the guard beneath it': ['src/kernel/http-send.ts', 'src/outside/door.ts'],
  'to proxies of the operator, which calls that were judged go through': ['src/kernel/outbound-proxy.ts'],
  'for those below that call what the operator named': ['src/kernel/outbound-fetch.ts'],
  'to an address that the door has judged': [
    'src/outside/databases.ts',
    'src/outside/mail/imap.ts',
    'src/outside/mail/smtp.ts',
    'src/outside/mysql.ts',
  ],
  'only to sign; the door sends': ['src/outside/authentication.ts'],
  'only to read a certificate with its key': ['src/outside/credentials.ts'],
  'through a fetch that is handed in: the door’s, or that of the guard': [
    'src/models/gateway/embeddings.ts',
    ...['anthropic', 'google', 'openai', 'openai-compatible', 'open-call', 'plain-answers'].map(
      (name) => `src/models/providers/${name}.ts`,
    ),
    'src/models/routing/list-models.ts',
    'src/outside/a2a/agent.ts',
    'src/outside/mcp/authorization.ts',
    'src/outside/mcp/connection.ts',
    'src/outside/mcp/open-requests.ts',
  ],
  'to what the operator has set up': [
    'src/auth/external/openid.ts',
    'src/stores/mail/smtp.ts',
    'src/stores/mongo/db.ts',
    'src/stores/mongo/errors.ts',
    'src/stores/subset/object-id.ts',
    'src/stores/vectors/qdrant/vectors.ts',
    'src/stream/brokers/redis/open.ts',
    'src/stream/brokers/redis/sender.ts',
    'src/telemetry/otlp-metrics.ts',
    'src/telemetry/tracing.ts',
    'src/wiring/stores.ts',
  ],
  'to this machine': ['src/cli/own-server.ts'],
  'to a list of prices that the operator names': ['src/models/pricing/refresh-price-file.ts'],
  'it listens, or names statuses and addresses': [
    ...['refuse', 'server', 'upgrade'].map((name) => `src/http/adapters/node/${name}.ts`),
    ...['exchange', 'web-socket'].map((name) => `src/http/adapters/uws/${name}.ts`),
    'src/kernel/client-address.ts',
    'src/kernel/free-address.ts',
    'src/wiring/streams.ts',
  ],
  'commands in sandboxes, which have an allow-list of their own': [
    'sandbox/drivers/bwrap/fifos.ts',
    'sandbox/drivers/docker/driver.ts',
    'sandbox/network/bridge.ts',
    'sandbox/network/proxy.ts',
  ],
};

/** Programs that run elsewhere: in a browser, or at whoever uses the client. */
const elsewhere = /^src\/(web|client)\/|^src\/http\/pages\/|\/testing\/|\.test\.tsx?$/;

function* filesIn(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesIn(path);
    else if (/\.tsx?$/.test(entry.name)) yield relative(root, path);
  }
}

/** Imports of values; a type connects to nobody. */
const imported = (text: string) =>
  [...text.matchAll(/^(?:import|export)\s+(?!type\b)[^;]*?from\s+'([^']+)'|\bimport\('([^']+)'\)/gm)].map(
    ([, one, other]) => one ?? other ?? '',
  );
/** A global that connects, called or handed on. */
const global = /(?<![.\w'`/-]|typeof )(fetch(?=\(|[;,)]| :|$)|new (WebSocket|EventSource)\b)/m;
const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$|\s\/\/ .*$/gm, '');

function connects(path: string): boolean {
  const text = withoutComments(readFileSync(join(root, path), 'utf8'));
  return imported(text).some((one) => connecting.test(one)) || global.test(text);
}

it('is opened by nobody who is not on the list, and the list holds nobody who opens none', () => {
  const found = ['src', 'runtime', 'sandbox']
    .flatMap((folder) => [...filesIn(join(root, folder))])
    .filter((path) => !elsewhere.test(path) && connects(path));
  expect(found.sort()).toEqual(Object.values(ways).flat().sort());
});
