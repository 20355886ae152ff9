// Why uWebSockets.js is not used, as a start says it.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { chooseAdapter } from './choose.ts';

const source = readFileSync(createRequire(import.meta.url).resolve('uWebSockets.js'), 'utf8');
/** What the package says of each binary that does not load, without what Node says below it. */
const [, said = ''] = /new Error\('([^'\\]+)/.exec(source) ?? [];
const failing = (message: string) => () => Promise.reject(new Error(message));

it('says for which versions of Node there are binaries, where the package blames this one', async () => {
  expect(said).toContain('supports only');
  const { name, reason } = await chooseAdapter('auto', failing(`${said}\n\nError: Cannot find module`));
  expect(name).toBe('node');
  expect(reason).toContain(`no binary for Node ${process.versions.node} loads on this system; there are binaries for`);
});

it('says what else is amiss, in a line', async () => {
  const { reason } = await chooseAdapter('auto', failing('It does not load from /tmp: no room\n    at a line'));
  expect(reason).toBe('uWebSockets.js does not load: It does not load from /tmp: no room');
});

it('names the setting that demands it', async () => {
  await expect(chooseAdapter('uws', failing('no room'))).rejects.toMatchObject({
    ...{ name: 'Fault', code: 'NOT_CONFIGURED', hint: expect.stringContaining('node') },
    message: 'RIVULET_TRANSPORT=uws, but uWebSockets.js does not load: no room.',
  });
});
