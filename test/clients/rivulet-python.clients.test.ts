// Our own Python client as its users get it: generated, packed, and installed from the wheel alone.
import { cp, mkdtemp, readdir, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type CuttingProxy, createCuttingProxy } from '../support/cutting-proxy.ts';
import { type ServerWithModel, startServerWithModel } from '../support/server-with-model.ts';
import { programs, run } from './installers.ts';
import { type Program, startProgram, type Told } from './program.ts';
import { describeInstalled } from './suite.ts';

const root = resolve(import.meta.dirname, '../..');
// Of many lengths, and with what some readers of lines take for their end.
const words = Array.from({ length: 60 }, (_, at) => `word${at}${'\u2028\u0085\r\n'.slice(0, at % 5)} `);
const client = { name: 'rivulet-client', set: 'python-own', package: 'openapi-python-client' };

describeInstalled(client, (folder) => {
  let world: ServerWithModel;
  let proxy: CuttingProxy;
  let program: Program;
  let own: string;
  let site: string;
  const python = join(folder, 'bin/python');

  beforeAll(async () => {
    own = await mkdtemp(join(tmpdir(), 'rivulet-python-'));
    site = join(own, 'site');
    // A copy of what the command needs: another suite may be reading the checkout.
    for (const name of ['clients/python', 'scripts/python-client.mjs', 'docs/reference/openapi.json'])
      await cp(join(root, name), join(own, name), { recursive: true });
    // Where the command itself puts them, beside the package.
    await symlink(folder, join(own, 'clients/python/.tools'));
    await run(process.execPath, [join(own, 'scripts/python-client.mjs')]);
    const made = await readdir(join(own, 'clients/python/dist'));
    expect(made.map((name) => name.replace(/^.*?\d\.\d\.\d/, '')).sort()).toEqual(['-py3-none-any.whl', '.tar.gz']);
    const wheel = made.find((name) => name.endsWith('.whl')) ?? '';
    const flags = ['--quiet', '--disable-pip-version-check', '--no-deps', '--no-compile', '--target', site];
    await run(python, ['-m', 'pip', 'install', ...flags, join(own, 'clients/python/dist', wheel)]);
    world = await startServerWithModel();
    proxy = await createCuttingProxy({ port: world.server.port });
    program = await startProgram(python, [join(programs, 'own_client.py')], {
      BASE_URL: world.server.url,
      API_KEY: world.server.key,
      PYTHONPATH: site,
    });
  }, 300_000);
  afterAll(async () => {
    program?.stop();
    await proxy?.close();
    await world?.close();
    await rm(own, { recursive: true, force: true });
  });

  const begin = async (): Promise<number> => {
    world.model.reply({ text: words, frameDelayMs: 5 });
    return (await program.do('start')).run;
  };
  /** Every event once and in order, to the end. */
  const expectWhole = ({ places, last, text, gaps, ...failed }: Told) => {
    expect(failed).toEqual({});
    expect([last, text, gaps]).toEqual(['run.ended', words.join(''), 0]);
    expect(places).toEqual([...new Map(places.map((place: unknown) => [String(place), place])).values()]);
    const numbers = places.map(([, seq]: [string, number]) => seq);
    expect(numbers).toEqual(numbers.toSorted((a: number, b: number) => a - b));
  };

  it.each(['follow', 'follow_async'])('%s: each event once, though the connection is cut', async (flow) => {
    const cuts = proxy.cuts;
    proxy.cutEvery(1500, 3);
    expectWhole(await program.do(flow, { run: await begin(), base: `http://127.0.0.1:${proxy.port}` }));
    expect(proxy.cuts).toBeGreaterThan(cuts);
  });

  it('goes on at the cursor of an event', async () => {
    expectWhole(await program.do('go_on', { run: await begin() }));
  });

  it('says why a stream is refused, and gives up an unreachable server when it is told to', async () => {
    expect(await program.do('refused', { key: 'rvt_wrong' })).toEqual({ status: 401, code: 'UNAUTHENTICATED' });
    expect(await program.do('refused', { topic: 'run:999999' })).toEqual({ status: 404, code: 'NOT_FOUND' });
    expect(await program.do('unreachable')).toMatchObject({ error: 'ConnectError' });
  });

  it('is typed: mypy has nothing to say', async () => {
    const env = `MYPYPATH=${programs}:${join(own, 'clients/python')}`;
    const flags = ['--strict', '--follow-imports=silent', '--cache-dir', join(own, 'mypy')];
    const files = ['rivulet_client/streaming.py', 'rivulet_client/sse.py', 'examples/follow_run.py'];
    const said = await run('env', [
      ...[env, join(folder, 'bin/mypy'), ...flags],
      ...files.map((name) => join(own, 'clients/python', name)),
    ]);
    expect(said).toContain('no issues found');
  });
});
