// Holds what is shipped for several nodes: no engine runs here, so that it is at least read.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { loadConfig } from '../../src/config.ts';
import { temporaryFolder } from '../support/embedded-db.ts';

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
