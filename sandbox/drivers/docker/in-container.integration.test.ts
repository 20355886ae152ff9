// A server that is itself a container of the engine, with the engine's socket mounted.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import Docker from 'dockerode';
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest';
import { testDrivers } from '../../testing/drivers.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 60_000 });
const [engine] = await testDrivers(['docker']);
afterAll(() => engine?.stop());
const project = join(import.meta.dirname, '../../..');
const program = join(project, 'sandbox/testing/inside-container.ts');

let host: string;
beforeEach(() => {
  host = mkdtempSync(join(tmpdir(), 'rivulet-host-'));
});
afterEach(() => rmSync(host, { recursive: true, force: true }));

/** What the program says in a container with these mounts. */
async function inside(data: string, binds: readonly string[]) {
  const { socket, image } = engine!.recipe;
  const docker = new Docker({ socketPath: socket });
  const container = await docker.createContainer({
    Image: image,
    Entrypoint: ['/bin/node', '--import', 'tsx', program, data, '/run/engine.sock', image],
    WorkingDir: project,
    Tty: true,
    HostConfig: {
      Binds: [`${project}:${project}:ro`, `${socket}:/run/engine.sock`, ...binds],
      Tmpfs: { '/tmp': 'rw' },
      NetworkMode: 'none',
      // The engine's own defaults may be more than a test machine allows.
      Ulimits: [
        { Name: 'nofile', Soft: 1024, Hard: 1024 },
        { Name: 'nproc', Soft: 4096, Hard: 4096 },
      ],
    },
  });
  try {
    const output = await container.attach({ stream: true, stdout: true, stderr: true });
    const saying = text(output);
    await container.start();
    await container.wait();
    const said = await saying;
    return JSON.parse(said.slice(said.indexOf('{"available"'))) as {
      available: boolean;
      causes: string[];
      cures: string[];
      said: string;
    };
  } finally {
    await container.remove({ force: true });
  }
}

test.skipIf(!engine)('its sandboxes see its files, which the engine has at other paths', async () => {
  const [data, work] = [join(host, 'data'), join(host, 'work')];
  for (const folder of [data, work]) mkdirSync(folder);
  expect(await inside('/srv/data', [`${data}:/srv/data`, `${work}:/srv/data/workspaces`])).toMatchObject({
    causes: [],
    available: true,
    said: 'from the server\nand its proxy\n',
  });
});

test.skipIf(!engine)('data that are in its container alone are the cause, told with the cure', async () => {
  const found = await inside('/tmp/data', []);
  expect(found.available).toBe(false);
  expect(found.causes.join()).toContain('does not see /tmp/data/docker');
  expect(found.cures.join()).toContain('Put RIVULET_DATA on a volume');
});
