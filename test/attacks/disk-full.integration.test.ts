// A server whose disk is full: it says so, loses nothing that it acknowledged, and goes on when there is room again.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createChildServer } from '../support/child-server.ts';
import { request } from '../support/test-server.ts';

/** A disk of its own of so many megabytes; null where this process may not make one. */
function smallDisk(megabytes: number): string | null {
  const place = mkdtempSync(join(tmpdir(), 'rivulet-disk-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', place], { stdio: 'ignore' });
    return place;
  } catch {
    rmSync(place, { recursive: true });
    return null;
  }
}

const disk = smallDisk(48);

it.skipIf(disk === null)('says so, keeps what it acknowledged, and goes on', async () => {
  onTestFinished(() => {
    execFileSync('umount', [disk!]);
    rmSync(disk!, { recursive: true });
  });
  const ballast = join(disk!, 'ballast');
  writeFileSync(ballast, Buffer.alloc(24 << 20));
  const server = await createChildServer({ RIVULET_DATA: join(disk!, 'data') });
  onTestFinished(() => server.close());
  await server.start();
  const call = (method: string, path: string, body?: object) =>
    request(server.baseUrl, method, path, body, { authorization: `Bearer ${server.key}` });
  const ready = async () => (await call('GET', '/api/system/ready')).status;
  expect(await ready()).toBe(200);
  const { checks } = (await call('GET', '/api/system/ready')).body.data;
  expect(checks).toContainEqual(
    expect.objectContaining({
      ...{ name: 'data folder', state: 'Unhealthy', detail: expect.stringMatching(/^\d\d MB are free/) },
    }),
  );
  const { id } = (await call('POST', '/api/agent/runs', { goal: 'Be written to.' })).body.data;
  const notes = `/api/agent/runs/${id}/notes`;

  const acknowledged: number[] = [];
  let refused = await call('POST', notes, { content: 'x'.repeat(30_000) });
  for (; refused.status === 200; refused = await call('POST', notes, { content: 'x'.repeat(30_000) }))
    acknowledged.push(refused.body.data.id);
  expect(refused.status).toBe(503);
  expect(refused.body).toMatchObject({ errorCode: 'STORE_UNAVAILABLE', error: expect.stringMatching(/disk.* full/) });
  expect(refused.body.hint).toMatch(/Make room/);
  await expect.poll(ready).toBe(503);
  expect((await call('GET', `/api/agent/runs/${id}`)).status).toBe(200);

  rmSync(ballast);
  await expect.poll(ready).toBe(200);
  const later = await call('POST', notes, { content: 'There is room again.' });
  expect(later.status).toBe(200);
  acknowledged.push(later.body.data.id);

  await server.kill();
  await server.start();
  const kept = new Set<number>();
  for (let page = 1, pages = 1; page <= pages; page++) {
    const { items, totalCount } = (await call('GET', `${notes}?page=${page}&pageSize=200`)).body.data;
    for (const note of items) kept.add(note.id);
    pages = Math.ceil(totalCount / 200);
  }
  expect(acknowledged.filter((one) => !kept.has(one))).toEqual([]);
});
