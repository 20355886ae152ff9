// The log of a server whose disk has failed: what fails again and again is said once, then with how often it came.
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { expect, it, onTestFinished } from 'vitest';
import { loadConfig } from '../../src/config.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { createLogger } from '../../src/kernel/logger.ts';
import { SimulatedClock } from '../../src/kernel/simulated-clock.ts';
import { startServer } from '../../src/server.ts';
import { temporaryFolder } from '../support/embedded-db.ts';
import { hastyClock } from '../support/hasty-clock.ts';
import { adminKey, request } from '../support/test-server.ts';

interface Line {
  level: number;
  time: number;
  msg: string;
  leftOut?: number;
  err?: { code?: string };
}

/** Has the disk of stores that are opened from now on fail once the answer is called. */
function breakableDisk() {
  const { fdatasync } = fs;
  let isBroken = false;
  const replace = (sync: unknown) => {
    Object.assign(fs, { fdatasync: sync });
    syncBuiltinESMExports();
  };
  replace((fd: number, done: (error: Error | null) => void) =>
    isBroken ? done(new Error('EIO: i/o error, fdatasync')) : fdatasync(fd, done),
  );
  onTestFinished(() => replace(fdatasync));
  return () => {
    isBroken = true;
  };
}

/** A server whose log is told in minutes by hand, and what it does again and again ten times a second. */
async function startLogged() {
  const minutes = new SimulatedClock();
  const lines: Line[] = [];
  let looks = 0;
  const look = (run: () => void) => () => {
    looks++;
    run();
  };
  const clock: Clock = { ...hastyClock, every: (ms, run) => hastyClock.every(ms, look(run)) };
  const write = (line: string) => void lines.push(JSON.parse(line));
  const log = createLogger({ level: 'warn', pretty: false, clock: minutes, out: { write } });
  const settings = { RIVULET_PORT: '0', RIVULET_ADMIN_KEY: adminKey, RIVULET_SANDBOX: 'off' };
  const server = await startServer({
    config: loadConfig({ RIVULET_DATA: temporaryFolder(), ...settings }),
    ...{ clock, log },
  });
  onTestFinished(() => server.close());
  const create = async () => {
    const headers = { authorization: `Bearer ${adminKey}` };
    return (await request(server.url, 'POST', '/api/agent/runs', { goal: 'Work' }, headers)).status;
  };
  return { minutes, lines, create, looks: () => looks };
}

const repair = 'a round of repair failed; another follows';

it('says once what fails again and again, and tells of each request', async () => {
  const breakDisk = breakableDisk();
  const { minutes, lines, create, looks } = await startLogged();
  expect(await create()).toBe(200);
  breakDisk();
  expect(await create()).toBe(503);
  const from = looks();
  await expect.poll(() => looks() - from).toBeGreaterThan(300);
  const failed = lines.filter(({ err }) => err?.code === 'STORE_UNAVAILABLE');
  const texts = failed.map((line) => JSON.stringify({ ...line, time: 0 }));
  expect(texts).toEqual([...new Set(texts)]);
  expect(failed.filter(({ msg }) => msg === repair)).toHaveLength(1);
  lines.splice(0);
  await minutes.advance(60_000);
  const again = lines.filter(({ msg }) => msg === repair);
  expect(again).toMatchObject([{ level: 50, err: { code: 'STORE_UNAVAILABLE' } }]);
  expect(again[0]?.leftOut).toBeGreaterThan(0);
  expect([await create(), await create()]).toEqual([503, 503]);
  expect(lines.filter(({ msg }) => msg === 'The disk failed to keep what was written.')).toHaveLength(2);
});
