import { expect, test } from 'vitest';
import { sandboxUser } from './user.ts';

const root = { uid: 0, gid: 0 };
const wholeMap = '         0          0 4294967295\n';

test('a root server gives each workspace a user of its own, the same at every boot', () => {
  const user = sandboxUser('run-1', wholeMap, root);
  expect(user).toEqual(sandboxUser('run-1', wholeMap, root));
  expect(user.uid).not.toBe(sandboxUser('run-2', wholeMap, root).uid);
  expect(user).toMatchObject({ gid: user.uid, isDedicated: true });
  expect(user.uid).toBeGreaterThanOrEqual(1_900_000_000);
});

test('in a small user namespace the users stay inside it', () => {
  for (let run = 0; run < 200; run++) {
    expect(sandboxUser(`run-${run}`, '0 100000 65536', root).uid).toBeLessThan(65_536);
  }
});

test('a server that is not root runs sandboxes as itself', () => {
  expect(sandboxUser('run-1', wholeMap, { uid: 1000, gid: 100 })).toEqual({ uid: 1000, gid: 100, isDedicated: false });
});
