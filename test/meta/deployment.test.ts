// Holds what is shipped for several nodes: no engine runs here, so that it is at least read.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadConfig } from '../../src/config.ts';
import { system } from '../../src/groups/system/contract.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { checkSharedFolders, sharedFolderSpec, sharedFolders } from '../../src/run-places/shared-folders.ts';
import { openTestDb, temporaryFolder } from '../support/embedded-db.ts';

const root = join(import.meta.dirname, '../..');

it('docker-compose.yml is valid, and gives both servers settings that they take', () => {
  const { services } = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true });
  expect(services.mongo.healthcheck.test[1]).toMatch(/^mongosh .*rs\.initiate\(/);
  for (const name of ['server-1', 'server-2']) {
    const given = Object.entries(services[name].environment as Record<string, string>);
    const settings = given.map(([key, value]) => [key, value.replace(/^\$\{.*\}$/, '')]);
    const config = loadConfig({ ...Object.fromEntries(settings), RIVULET_DATA: temporaryFolder() });
    expect(config.redisUrl).toBe('redis://redis:6379');
    expect(config.mongoUri).toContain('replicaSet=rs0');
    expect(config.trustedProxies.length).toBeGreaterThan(0);
    for (const needed of Object.keys(services[name].depends_on)) expect(Object.keys(services)).toContain(needed);
  }
});

it('docker-compose.yml gives both servers one volume for each folder they share, which the image lets them write to', () => {
  const { services, volumes } = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true });
  const [, made = ''] =
    /^RUN mkdir -p (.*) && chown -R node:node/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8')) ?? [];
  for (const folder of sharedFolders.map((path) => `/data/${path}`)) {
    const sources = ['server-1', 'server-2'].map(
      (name) => (services[name].volumes as string[]).find((volume) => volume.endsWith(`:${folder}`))?.split(':')[0],
    );
    expect(sources[0], folder).toBeDefined();
    expect(sources[1]).toBe(sources[0]);
    expect(Object.keys(volumes)).toContain(sources[0]);
    expect(made.split(' ')).toContain(folder);
  }
});

it('kubernetes.yaml runs one server at a time, and asks it by paths that there are', () => {
  const documents = parseAllDocuments(readFileSync(join(root, 'deploy/kubernetes.yaml'), 'utf8'));
  expect(documents.flatMap(({ errors, warnings }) => [...errors, ...warnings])).toEqual([]);
  const [service, claim, { spec }] = documents.map((document) => document.toJS());
  expect([spec.replicas, spec.strategy.type]).toEqual([1, 'Recreate']);
  const { containers, volumes, terminationGracePeriodSeconds } = spec.template.spec;
  const [{ startupProbe, livenessProbe, readinessProbe, ports }] = containers;
  const { base, operations } = system;
  const path = (name: 'health' | 'ready') => `${base}${operations[name].path}`;
  for (const probe of [startupProbe, livenessProbe]) expect(probe.httpGet.path).toBe(path('health'));
  expect(readinessProbe.httpGet.path).toBe(path('ready'));
  expect(service.spec.ports[0].targetPort).toBe(ports[0].name);
  expect(ports[0].containerPort).toBe(loadConfig({ RIVULET_DATA: temporaryFolder() }).port);
  expect(volumes[0].persistentVolumeClaim.claimName).toBe(claim.metadata.name);
  expect(terminationGracePeriodSeconds).toBeGreaterThanOrEqual(30);
});

// Each was tried by hand: bubblewrap cannot start where parts of /proc are covered, and V8 compiles at run time.
it('rivulet.service has nothing that a sandbox or Node cannot work under', () => {
  const file = readFileSync(join(root, 'deploy/rivulet.service'), 'utf8');
  const set = new Map([...file.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']) => [name, value]));
  for (const name of ['ProtectHostname', 'ProtectKernelLogs', 'ProtectKernelTunables', 'ProtectControlGroups'])
    expect([...set.keys()]).not.toContain(name);
  for (const name of ['RestrictNamespaces', 'SystemCallFilter', 'MemoryDenyWriteExecute', 'ProcSubset'])
    expect([...set.keys()]).not.toContain(name);
  expect(set.get('RestrictAddressFamilies')).toContain('AF_NETLINK');
  expect(set.get('ExecStart')).toContain('$$(/usr/bin/node dist/server/heap-flags.js) dist/server/main.js');
  expect([set.get('KillMode'), set.get('OOMPolicy')]).toEqual(['mixed', 'continue']);
});

it('the image begins with a process that takes in dead ones, and the server gets the signals', () => {
  const file = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const wordsOf = (name: string) =>
    JSON.parse(new RegExp(`^${name} (\\[.*\\])$`, 'm').exec(file)?.[1] ?? '[]') as string[];
  expect(wordsOf('ENTRYPOINT')).toEqual(['tini', '-s', '--']);
  expect(file).toMatch(/apt-get install .* tini /);
  const [shell, flag, command = ''] = wordsOf('CMD');
  expect([shell, flag]).toEqual(['sh', '-c']);
  expect(command).toMatch(/^exec node .*\$\(node dist\/server\/heap-flags.js\) dist\/server\/main.js$/);
});

it('the health check of the image asks the server where it listens, and whether it is ready', async () => {
  const [, words = '[]'] = /^HEALTHCHECK .*CMD (\[.*\])$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8')) ?? [];
  const [, ...program] = JSON.parse(words) as string[];
  let status = 200;
  const paths: (string | undefined)[] = [];
  const server = createServer(({ url }, answer) => {
    paths.push(url);
    answer.writeHead(status).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const exitCode = async () => {
    const child = spawn(process.execPath, program, { env: { RIVULET_PORT: String(port) } });
    return (await once(child, 'exit'))[0];
  };
  expect(await exitCode()).toBe(0);
  status = 503;
  expect(await exitCode()).toBe(1);
  expect(paths).toEqual(['/api/system/ready', '/api/system/ready']);
});

it('a node that shares the store but not the folder of files is told at its start, and its readiness says so', async () => {
  const db = openTestDb();
  await db.ensureIndexes([sharedFolderSpec]);
  const [shared, own] = [temporaryFolder(), temporaryFolder()];
  const warnings: string[] = [];
  const log = {
    ...silentLogger,
    warn: (_: unknown, message: string) => warnings.push(message),
  } as unknown as typeof silentLogger;
  const start = (dataDir: string) => checkSharedFolders({ db, dataDir, log });
  const together = await Promise.all([start(shared), start(shared), start(shared)]);
  for (const checks of [...together, await start(shared)])
    for (const [at, { check }] of checks.entries())
      expect(await check()).toBe(join(shared, sharedFolders[at] as string));
  expect(warnings).toEqual([]);
  const apart = await start(own);
  expect(apart.map(({ name }) => name)).toEqual(['workspaces', 'output', 'sites']);
  for (const { required, check } of apart) {
    expect(required).toBe(false);
    await expect(check()).rejects.toMatchObject({
      code: 'NOT_CONFIGURED',
      hint: expect.stringContaining('one volume'),
    });
  }
  expect(warnings).toEqual(
    sharedFolders.map((path) => expect.stringContaining(`${path} is not that of the other nodes`)),
  );
});
