// What other users of the machine, strangers on the network and clouds could get from the host of a server.
import { chmodSync, lstatSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { decide } from '../../sandbox/network/allow-list.ts';
import { requirePublicHttps } from '../../sandbox/network/public-url.ts';
import { isPublicAddress, isServerAddress } from '../../src/kernel/addresses.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { closeDataFolder } from '../../src/stores/data-folder.ts';
import { request, startTestServer, transports } from '../support/test-server.ts';

const modeOf = (path: string) => lstatSync(path).mode & 0o777;

describe('the data folder', () => {
  test('is closed to other users with all files in it, also one that an older version left open', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'rivulet-open-'));
    chmodSync(folder, 0o755);
    writeFileSync(join(folder, 'secret'), 's'.repeat(43), { mode: 0o644 });
    const server = await startTestServer({ RIVULET_DATA: folder });
    try {
      expect(modeOf(folder).toString(8)).toBe('700');
      const files = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isFile());
      expect(files.map(({ name }) => name)).toEqual(expect.arrayContaining(['rivulet.db', 'rivulet.db-wal', 'secret']));
      expect(files.filter(({ name }) => modeOf(join(folder, name)) !== 0o600)).toEqual([]);
    } finally {
      await server.close();
    }
  });

  test('says what it closed, once, and what it could not close', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rivulet-open-'));
    chmodSync(folder, 0o750);
    writeFileSync(join(folder, 'rivulet.db'), '', { mode: 0o640 });
    const said: [string, unknown][] = [];
    const log = {
      ...silentLogger,
      info: ({ paths }: { paths: string[] }) => said.push(['info', paths]),
      warn: ({ paths }: { paths: string[] }) => said.push(['warn', paths]),
    } as unknown as typeof silentLogger;
    closeDataFolder(folder, log);
    closeDataFolder(folder, log);
    expect(said).toEqual([['info', [folder, join(folder, 'rivulet.db')]]]);
    // A file system that knows no such permissions.
    chmodSync(folder, 0o755);
    closeDataFolder(folder, log, { chmod: () => {} });
    expect(said.at(-1)).toEqual(['warn', [folder]]);
  });

  test('leaves a folder with other things in it as it is, and closes only what is its own there', () => {
    const folder = mkdtempSync(join(tmpdir(), 'rivulet-etc-'));
    chmodSync(folder, 0o755);
    for (const name of ['passwd', 'rivulet.db', 'secret']) {
      writeFileSync(join(folder, name), '');
      chmodSync(join(folder, name), 0o644);
    }
    const said: [string, unknown][] = [];
    const log = {
      ...silentLogger,
      info: ({ paths }: { paths: string[] }) => said.push(['info', paths]),
      warn: ({ path, others }: { path: string; others: string[] }) => said.push(['warn', [path, others]]),
    } as unknown as typeof silentLogger;
    closeDataFolder(folder, log);
    expect(said).toEqual([
      ['warn', [folder, ['passwd']]],
      ['info', [join(folder, 'rivulet.db'), join(folder, 'secret')]],
    ]);
    expect([modeOf(folder), modeOf(join(folder, 'passwd')), modeOf(join(folder, 'secret'))]).toEqual([
      0o755, 0o644, 0o600,
    ]);
    rmSync(join(folder, 'passwd'));
    // What file systems leave, and folders that the server makes when they are first needed.
    for (const name of ['lost+found', 'sandbox', 'imports', 'sites', 'training', 'outbox'])
      mkdirSync(join(folder, name));
    closeDataFolder(folder, log);
    expect(modeOf(folder)).toBe(0o700);
  });
});

test('a cloud’s metadata is nobody’s to reach, under any of its addresses', async () => {
  for (const address of [
    '168.63.129.16',
    '::ffff:168.63.129.16',
    '169.254.169.254',
    '100.100.100.200',
    'fd00:ec2::254',
    'fd00:ec2::254%1',
    'fd20:ce::254',
    'fd00:c1::a9fe:a9fe',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b::a83f:8110',
  ]) {
    expect([address, isServerAddress(address), isPublicAddress(address)]).toEqual([address, false, false]);
    const shown = address.includes(':') ? `[${address}]` : address;
    await expect(requirePublicHttps(`https://${shown}/`)).rejects.toThrow();
  }
  const resolve = async () => ['168.63.129.16'];
  const decision = await decide('cloud.test', 443, { patterns: ['cloud.test'], allowsPrivate: false, resolve });
  expect(decision).toEqual({ refusal: expect.stringContaining('private') });
});

describe.each(transports)('X-Forwarded-Host and -Proto on %s', (transport) => {
  const servers: { close(): Promise<void> }[] = [];
  afterAll(() => Promise.all(servers.map((server) => server.close())));
  const said = { 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
  const realtimeUrl = async (environment: Record<string, string>) => {
    const server = await startTestServer({ RIVULET_TRANSPORT: transport, ...environment });
    servers.push(server);
    const { body } = await request(server.url, 'GET', '/api/system/info', undefined, said);
    const { signInUrl = '' } = server.firstBoot ?? {};
    return { url: body.data.realtimeUrl as string, own: server.url.replace(/^http/, 'ws'), signInUrl };
  };

  test('are believed from nobody', async () => {
    const { url, own } = await realtimeUrl({});
    expect(url.startsWith(own)).toBe(true);
  });

  test('are believed from proxies that the operator trusts', async () => {
    const { url } = await realtimeUrl({ RIVULET_TRUSTED_PROXIES: '127.0.0.1' });
    expect(url).toMatch(/^wss:\/\/evil\.example\//);
  });

  test('change nothing where the operator says the address', async () => {
    const { url, signInUrl } = await realtimeUrl({
      RIVULET_TRUSTED_PROXIES: '127.0.0.1',
      RIVULET_PUBLIC_URL: 'https://rivulet.test',
    });
    expect(url).toBe('wss://rivulet.test/api/ws');
    expect(signInUrl).toMatch(/^https:\/\/rivulet\.test\/#\/signin\?token=sgn_/);
  });
});
