import { stat } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { checkPassword, hashPassword } from './passwords.ts';

it('tells right passwords from wrong ones', async () => {
  const hash = await hashPassword('correct horse');
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(await checkPassword(hash, 'correct horse')).toBe(true);
  expect(await checkPassword(hash, 'battery staple')).toBe(false);
  expect(await checkPassword(null, 'correct horse')).toBe(false);
  await expect(checkPassword('no hash', 'x')).rejects.toThrow();
});

it('leaves the threads that files wait for alone', async () => {
  let done = 0;
  const checks = Array.from({ length: 24 }, async () => {
    await checkPassword(null, 'x');
    done++;
  });
  await stat('.');
  expect(done).toBeLessThan(6);
  await Promise.all(checks);
});

it('refuses whom it could not serve soon', async () => {
  const all = await Promise.allSettled(Array.from({ length: 80 }, () => checkPassword(null, 'x')));
  const refused = all.flatMap((one) => (one.status === 'rejected' ? [one.reason.code] : []));
  expect(refused).toEqual(Array.from({ length: 16 }, () => 'RATE_LIMITED'));
  expect(await checkPassword(null, 'x')).toBe(false);
});
