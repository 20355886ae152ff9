// Autobahn's cases for WebSockets, against an echo on each of the two adapters: all but its measurements (9) and those
// of compression (12, 13), which the server does not offer.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import WebSocket from 'ws';
import type { HttpAdapter, HttpServer } from '../../src/http/adapter.ts';
import { nodeAdapter } from '../../src/http/adapters/node/server.ts';
import { loadUws, type Uws } from '../../src/http/adapters/uws/load.ts';
import { uwsAdapter } from '../../src/http/adapters/uws/server.ts';
import { transports } from '../support/transports.ts';
import { run } from './installers.ts';
import { describeInstalled } from './suite.ts';

type Results = Record<string, Record<string, { behavior: string; behaviorClose: string }>>;

/** The server's own protocol sends text alone: what came as bytes is echoed as bytes by the library below. */
const echoes: Record<string, () => Promise<HttpAdapter>> = {
  async uws() {
    const uws = await loadUws();
    const App: Uws['App'] = () => {
      const app = uws.App();
      const ws = app.ws.bind(app);
      app.ws = (path, behavior) =>
        ws(path, {
          ...behavior,
          message: (raw, message, isBinary) =>
            isBinary ? void raw.send(message, true) : behavior.message?.(raw, message, isBinary),
        });
      return app;
    };
    return (options) => uwsAdapter(options, { ...uws, App });
  },
  async node() {
    const { send } = WebSocket.prototype;
    WebSocket.prototype.send = function (this: WebSocket, data: Buffer | string, options: object, done: () => void) {
      send.call(this, data, { ...options, binary: Buffer.isBuffer(data) }, done);
    } as typeof send;
    return nodeAdapter;
  },
};

/** `wstest` of the package, which stands in a plain folder. */
const launcher = `
import site, sys
site.addsitedir(sys.argv[1])
sys.argv = ['wstest', '-m', 'fuzzingclient', '-s', sys.argv[2]]
from autobahntestsuite.wstest import run
run()
`;

describeInstalled({ name: 'Autobahn', set: 'autobahn', package: 'autobahntestsuite' }, (folder) => {
  let server: HttpServer | undefined;
  afterEach(() => server?.close());

  it.each(transports)('247 cases on %s', { timeout: 240_000 }, async (name) => {
    const adapter = await echoes[name]?.();
    server = await adapter?.({
      host: '127.0.0.1',
      port: 0,
      handle: (exchange) => exchange.send(404, [], ''),
      webSocket: {
        path: '/ws',
        maxMessageBytes: 1024 * 1024,
        admit: () => null,
        open: (socket) => socket.onMessage((data) => socket.send(data)),
      },
    });
    const outdir = await mkdtemp(join(tmpdir(), 'rivulet-autobahn-'));
    const spec = {
      outdir,
      servers: [{ agent: name, url: `ws://127.0.0.1:${server?.port}/ws` }],
      cases: ['*'],
      'exclude-cases': ['9.*', '12.*', '13.*'],
      'exclude-agent-cases': {},
    };
    await writeFile(join(outdir, 'spec.json'), JSON.stringify(spec));
    const python = await readFile(join(folder, 'python'), 'utf8');
    await run(python, ['-c', launcher, join(folder, 'lib'), join(outdir, 'spec.json')]);
    const results = (JSON.parse(await readFile(join(outdir, 'index.json'), 'utf8')) as Results)[name] ?? {};
    await rm(outdir, { recursive: true });
    const wrong = Object.entries(results).filter(([, { behavior, behaviorClose }]) =>
      /FAILED|WRONG|UNCLEAN/.test(behavior + behaviorClose),
    );
    expect(wrong).toEqual([]);
    expect(Object.keys(results)).toHaveLength(247);
  });
});
