// A Python client that openapi-python-client generates from the server's document.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';
import { programs, run } from './installers.ts';
import { type Program, startProgram } from './program.ts';
import { describeInstalled } from './suite.ts';

const client = { name: 'openapi-python-client', set: 'python-tools', package: 'openapi-python-client' };
describeInstalled(client, (folder) => {
  let world: ServerWithModel;
  let program: Program;
  let own: string;
  beforeAll(async () => {
    world = await startServerWithModel();
    const { server } = world;
    own = await mkdtemp(join(tmpdir(), 'rivulet-generated-'));
    const document = await server.call('GET', '/openapi/v1.json');
    await writeFile(join(own, 'openapi.json'), JSON.stringify(document.body));
    // Its formatter is another program, which would only change how it looks; a ZIP file is bytes to it when it is told so.
    const config = 'post_hooks: []\ncontent_type_overrides:\n  application/zip: application/octet-stream\n';
    await writeFile(join(own, 'config.yaml'), config);
    const generated = join(own, 'rivulet_client');
    const args = ['generate', '--path', 'openapi.json', '--config', 'config.yaml', '--fail-on-warning'];
    await run(join(folder, 'bin/openapi-python-client'), [...args, '--meta', 'none', '--output-path', generated], own);
    program = await startProgram(join(folder, 'bin/python'), [join(programs, 'openapi_client.py')], {
      BASE_URL: server.url,
      API_KEY: server.key,
      GENERATED: own,
    });
  });
  afterAll(async () => {
    program?.stop();
    await world?.close();
    await rm(own, { recursive: true, force: true });
  });

  it('makes a run and finds it', async () => {
    expect(await program.do('run')).toEqual({ status: 'Completed', listed: true });
  });
  it('errors', async () => {
    expect(await program.do('refused', { key: 'rvt_wrong' })).toEqual({ status: 401, code: 'UNAUTHENTICATED' });
    expect(await program.do('unknown')).toEqual({ status: 404, code: 'NOT_FOUND' });
  });
  it('is typed: mypy has nothing to say', async () => {
    const env = `MYPYPATH=${own}:${programs}`;
    const mypy = join(folder, 'bin/mypy');
    const said = await run('env', [env, mypy, '--cache-dir', join(own, 'mypy'), join(programs, 'openapi_client.py')]);
    expect(said).toContain('no issues found');
  });
});
