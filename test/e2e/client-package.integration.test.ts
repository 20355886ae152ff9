// The client as its users get it: the built export, its types, and bundles for browsers.
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const root = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);

/** A user's project that has the package, and zod for its types, installed. */
let project: string;
let server: TestServer;

beforeAll(async () => {
  await run(process.execPath, ['scripts/build.mjs', '--client'], { cwd: root });
  project = await mkdtemp(join(tmpdir(), 'rivulet-user-'));
  await mkdir(join(project, 'node_modules'));
  await symlink(root, join(project, 'node_modules/rivulet'), 'dir');
  await writeFile(join(project, 'package.json'), '{ "type": "module" }');
  server = await startTestServer();
}, 120_000);
afterAll(async () => {
  await server?.close();
  await rm(project, { recursive: true, force: true });
});

const program = `
import { createClient } from 'rivulet/client';
export async function main({ baseUrl, token }) {
  const client = createClient({ baseUrl, token });
  const run = await client.agentRuns.create({ body: { goal: 'Say hello', modelId: 'scripted:echo' } });
  const types = [];
  const stream = client.stream('run:' + run.id, { cursor: '0', transport: 'sse' });
  await client.agentRuns.start({ params: { id: run.id } });
  for await (const event of stream) {
    types.push(event.type);
    if (event.type === 'run.ended') break;
  }
  return types;
}
`;

/** Bundles a program of the user's; answers its text and the files that went into it. */
async function bundle(source: string) {
  await writeFile(join(project, 'app.js'), source);
  const { outputFiles, metafile } = await build({
    absWorkingDir: project,
    entryPoints: ['app.js'],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    metafile: true,
    logLevel: 'silent',
  });
  return { text: outputFiles[0]?.text ?? '', inputs: Object.keys(metafile.inputs) };
}

/** Runs a program as a process of its own. */
async function runProgram(file: string) {
  const access = JSON.stringify({ baseUrl: server.url, token: server.key });
  const script = `const { main } = await import('./${file}'); console.log(JSON.stringify(await main(${access})));`;
  const { stdout } = await run(process.execPath, ['--input-type=module', '-e', script], { cwd: project });
  return JSON.parse(stdout) as string[];
}

describe('client package', () => {
  it('is built again where the types were made or checked before', async () => {
    const declarations = join(root, 'dist/client/types/client/index.d.ts');
    await run(process.execPath, ['scripts/build.mjs', '--client', '--force'], { cwd: root });
    expect(existsSync(declarations)).toBe(true);
  });

  it('works in Node as it is', async () => {
    await writeFile(join(project, 'main.js'), program);
    const types = await runProgram('main.js');
    expect(types[0]).toBe('run.created');
    expect(types.at(-1)).toBe('run.ended');
    expect(types).toContain('run.delta');
  });

  it('bundles for browsers without anything else', async () => {
    const { text, inputs } = await bundle(program);
    expect(inputs.filter((input) => !input.endsWith('app.js'))).toEqual([
      expect.stringMatching(/rivulet|dist\/client\/index\.js$/),
    ]);
    await writeFile(join(project, 'bundle.js'), text);
    expect((await runProgram('bundle.js')).at(-1)).toBe('run.ended');
  });

  it('leaves out of a bundle what is not used', async () => {
    const { text } = await bundle(`import { readSse } from 'rivulet/client'; console.log(readSse);`);
    expect(text).not.toContain('/api/');
    expect(text.length).toBeLessThan(4000);
    expect((await bundle(`import { readSse } from 'rivulet/client';`)).text).not.toContain('readSse');
  });

  it.each([
    ['NodeNext', 'NodeNext'],
    ['ESNext', 'Bundler'],
  ])('has types under module %s, resolution %s', async (module, moduleResolution) => {
    const source = `
      import { createClient, type AgentRunDto } from 'rivulet/client';
      const client = createClient({ baseUrl: 'http://127.0.0.1:7717', token: 'x' });
      const run: AgentRunDto = await client.agentRuns.create({ body: { goal: 'typed' } });
      for await (const event of client.stream(\`run:\${run.id}\`)) {
        if (event.type === 'run.delta') event.data.delta.toUpperCase();
        // @ts-expect-error a run has no such field
        if (event.type === 'run.ended') event.data.nonsense;
      }
      // @ts-expect-error a run needs a goal
      await client.agentRuns.create({ body: {} });
    `;
    await writeFile(join(project, 'typed.ts'), source);
    const options = {
      strict: true,
      noEmit: true,
      target: 'ES2022',
      lib: ['ES2023', 'ESNext.Disposable', 'DOM'],
      types: [],
    };
    const compilerOptions = { ...options, module, moduleResolution, skipLibCheck: false };
    await writeFile(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions, include: ['typed.ts'] }));
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    const { stdout } = await run(process.execPath, [tsc, '-p', project], { cwd: project }).catch((error) => error);
    expect(stdout).toBe('');
  });
});
