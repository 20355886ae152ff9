// A service that channels of tests send to, in place of Slack and of receivers of one's own.
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The secret of channels of one's own. */
export const whsec = `whsec_${Buffer.from('a secret of thirty-two bytes ...').toString('base64')}`;

interface Seen {
  path: string;
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: whatever the service is sent
  body: any;
}

/** Stands for Slack and for receivers of one's own; answers as Slack's API does. */
export async function startChannelService() {
  const seen: Seen[] = [];
  const held = new Set<string>();
  const gone = new Set<string>();
  const server: Server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const path = request.url ?? '';
    seen.push({ path, headers: request.headers, body: JSON.parse(Buffer.concat(parts).toString()) });
    if (held.delete(path)) return;
    if (gone.delete(path)) response.statusCode = 410;
    response.end(JSON.stringify({ ok: true, channel: 'C1', ts: `1000.${seen.length}` }));
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  return {
    at: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    of: (path: string) => seen.filter((one) => one.path.startsWith(path)),
    /** The next request to a path is not answered. */
    hold: (path: string) => held.add(path),
    /** The next request to a path is answered 410. */
    refuse: (path: string) => gone.add(path),
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

export type ChannelService = Awaited<ReturnType<typeof startChannelService>>;
