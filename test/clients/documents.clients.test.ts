// Linters and parsers of others on the documents that the server serves of itself.
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startTestServer } from '../support/test-server.ts';
import { startProgram } from './program.ts';
import { commandOf, describeInstalled } from './suite.ts';

let own: string;
beforeAll(async () => {
  own = await mkdtemp(join(tmpdir(), 'rivulet-documents-'));
  const server = await startTestServer();
  for (const name of ['openapi', 'asyncapi']) {
    const { body } = await server.call('GET', `/${name}/v1.json`);
    await writeFile(join(own, `${name}.json`), JSON.stringify(body));
  }
  await server.close();
});
afterAll(() => rm(own, { recursive: true, force: true }));

const set = 'npm-linters';
const lint = (folder: string, program: string, args: string[]) => {
  const environment = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' };
  const { status, stdout, stderr } = spawnSync(join(folder, 'node_modules/.bin', program), args, {
    cwd: own,
    env: environment,
    encoding: 'utf8',
  });
  return { status, said: stdout + stderr };
};

describeInstalled({ name: 'redocly', set, package: '@redocly/cli' }, (folder) => {
  it('finds no error in the OpenAPI document', () => {
    const { status, said } = lint(folder, 'redocly', ['lint', 'openapi.json', '--format=stylish']);
    expect([status, said]).toEqual([0, expect.stringContaining('valid')]);
  });
});

describeInstalled({ name: 'spectral', set, package: '@stoplight/spectral-cli' }, (folder) => {
  it('finds no error in the documents', async () => {
    await writeFile(join(own, 'rules.yaml'), 'extends: ["spectral:oas", "spectral:asyncapi"]');
    const args = ['lint', 'openapi.json', 'asyncapi.json', '-r', 'rules.yaml', '--fail-severity=error'];
    const { status, said } = lint(folder, 'spectral', args);
    expect([status, said]).toEqual([0, expect.stringContaining('0 errors')]);
  });
});

describeInstalled({ name: 'AsyncAPI parser', set, package: '@asyncapi/parser' }, (folder) => {
  it('reads every channel and message', async () => {
    const [command = '', ...args] = await commandOf(
      { name: '', set, package: '', program: 'asyncapi-parser.mjs' },
      folder,
    );
    const program = await startProgram(command, args, { BASE_URL: '', API_KEY: '' });
    const told = await program.do('parse', { file: join(own, 'asyncapi.json') });
    program.stop();
    expect(told.errors).toEqual([]);
    expect(told.channels).toBeGreaterThan(10);
    expect(told.messages).toBeGreaterThan(30);
  });
});
