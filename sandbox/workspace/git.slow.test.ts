import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { startGit } from './git.ts';

test('git is ended while it is there, and the number of one that is gone gets no signal', async () => {
  const kill = vi.spyOn(process, 'kill');
  onTestFinished(() => kill.mockRestore());
  // Without a repository git ends by itself.
  const { output, end } = startGit({ gitDir: join(tmpdir(), 'no-such-repository') }, ['cat-file', '--batch']);
  output.resume();
  const signals = () => {
    kill.mockClear();
    end();
    return kill.mock.calls.length;
  };
  expect(signals()).toBe(1);
  await expect.poll(signals).toBe(0);
});
