import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { resolveLimits } from '../../sandbox/limits.ts';
import { readSandboxSettings } from './sandbox-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'rivulet-settings-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const read = (text: string) => {
  const file = join(folder, 'sandbox.yaml');
  writeFileSync(file, text);
  return readSandboxSettings(file);
};
const place = { id: 1, tenantId: 1, projectId: null, workspaceId: null, rootRunId: 1, parentRunId: null };
const run = (role: string, toolProfileName: string | null = null) => ({ ...place, role, toolProfileName });
const mebibyte = 1024 * 1024;

it('gives runs of a role what the file says, within the ceilings; a profile comes before the role', () => {
  const { limitsOf, hostsOf, ceilings } = read(`
ceilings: { memoryMb: 1024, cpus: 2, commandSeconds: 300 }
roles:
  Coder: { memoryMb: 4096, pids: 200, hosts: [registry.npmjs.org, '*.example.com:8443'] }
profiles:
  small: { memoryMb: 64, hosts: [] }`);
  expect(resolveLimits(limitsOf(run('coder')), ceilings)).toMatchObject({
    memoryBytes: 1024 * mebibyte,
    pids: 200,
    cpus: 1,
    commandTimeoutMs: 300_000,
  });
  expect(hostsOf(run('coder'))).toEqual(['registry.npmjs.org', '*.example.com:8443']);
  expect(limitsOf(run('CODER', 'Small'))).toMatchObject({ memoryBytes: 64 * mebibyte, pids: 200 });
  expect(hostsOf(run('coder', 'small'))).toEqual([]);
  expect([limitsOf(run('worker')), hostsOf(run('worker'))]).toEqual([{ commandTimeoutMs: 300_000 }, []]);
});

it('without a file there is no network and the defaults hold', () => {
  const { limitsOf, hostsOf, ceilings } = readSandboxSettings(null);
  expect([limitsOf(run('coder')), hostsOf(run('coder'))]).toEqual([{ commandTimeoutMs: 600_000 }, []]);
  expect(ceilings).toEqual({ commandTimeoutMs: 600_000 });
});

it.each([
  ['roles: { coder: { memory: 5 } }', /roles\.coder/],
  ['roles: { coder: { memoryMb: 1 } }', /roles\.coder\.memoryMb/],
  ['ceilings: { cpus: lots }', /ceilings\.cpus/],
  ['roles: { coder: { hosts: ["http://x/"] } }', /roles\.coder\.hosts\.0: must look like host/],
  ['{', /sandbox\.yaml/],
])('names what is wrong: %s', (text, message) => {
  expect(() => read(text)).toThrow(message);
});

it('names a file that is not there', () => {
  expect(() => readSandboxSettings(join(folder, 'none.yaml'))).toThrow(/RIVULET_SANDBOX_SETTINGS.*none\.yaml/);
});
