// The mails that a server of tests has put into its outbox.
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';

/** All mails, the oldest first. */
export async function mailsOf(dataDir: string): Promise<string[]> {
  const folder = join(dataDir, 'outbox');
  const names = await readdir(folder).catch(() => []);
  return Promise.all(
    names
      .filter((name) => name.endsWith('.eml'))
      .sort()
      .map((name) => readFile(join(folder, name), 'utf8')),
  );
}

/** The token of the newest mail to an address with a link of this kind; waits for it. */
export async function tokenTo(dataDir: string, address: string, kind: 'confirm' | 'reset' | 'invite') {
  const find = async () => {
    const mail = (await mailsOf(dataDir)).findLast((one) => one.includes(`To: ${address}`) && one.includes(`${kind}=`));
    return new RegExp(`${kind}=(mlt_[\\w-]+)`).exec(mail ?? '')?.[1] ?? '';
  };
  await expect.poll(find, { timeout: 10_000 }).toMatch(/^mlt_/);
  return find();
}
