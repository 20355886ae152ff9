import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createLogger } from './logger.ts';
import { admitConnections, systemOpenFiles } from './open-files.ts';
import { SimulatedClock } from './simulated-clock.ts';

/** Admission with this limit, over descriptors that the test opens and closes. */
function stage(limit: number | null, open = 0) {
  const clock = new SimulatedClock();
  const lines: string[] = [];
  const log = createLogger({ level: 'info', pretty: false, out: { write: (line) => void lines.push(line) }, clock });
  const files = { open, fails: false, counted: 0 };
  const count = async () => {
    files.counted++;
    if (files.fails) throw Object.assign(new Error('EMFILE'), { code: 'EMFILE' });
    return files.open;
  };
  const { opened, closed } = admitConnections({ limit, count }, { clock, log });
  /** Connections that were let in of so many; the others are closed. */
  const connect = (times: number) => {
    let admitted = 0;
    for (let n = 0; n < times; n++) {
      files.open++;
      if (opened()) admitted++;
      else leave(1);
    }
    return admitted;
  };
  const leave = (times: number, isTold = true) => {
    files.open -= times;
    if (isTold) for (let n = 0; n < times; n++) closed();
  };
  /** Lets a count end, and the time until the next one pass. */
  const later = async () => {
    await new Promise(setImmediate);
    await clock.advance(250);
  };
  return { clock, files, lines, connect, leave, later };
}

describe('admission of connections', () => {
  it('leaves descriptors to everything else', async () => {
    const { connect, later } = stage(1000, 50);
    await later();
    expect(connect(2000)).toBe(750 - 50);
    const many = stage(100_000, 50);
    await many.later();
    expect(many.connect(200_000)).toBe(100_000 - 256 - 50);
  });

  it('lets others in once some have left, also where their end is not told', async () => {
    const { connect, leave, later } = stage(1000);
    await later();
    connect(750);
    expect(connect(1)).toBe(0);
    leave(10);
    expect(connect(20)).toBe(10);
    leave(700, false);
    await later();
    await later();
    expect(connect(800)).toBe(700);
  });

  it('refuses none of many short connections', async () => {
    const { files, connect, leave, later } = stage(1000);
    await later();
    for (let n = 0; n < 5000; n++) {
      expect(connect(1)).toBe(1);
      leave(1);
    }
    expect(files.counted).toBe(1);
  });

  it('counts as long as there is little room', async () => {
    const { files, connect, leave, later } = stage(1000);
    await later();
    connect(600);
    for (let n = 0; n < 5; n++) await later();
    expect(files.counted).toBe(7);
    leave(300);
    for (let n = 0; n < 5; n++) await later();
    expect(files.counted).toBe(7);
  });

  it('lets nobody in where none is left to count with', async () => {
    const { files, connect, later } = stage(1000);
    await later();
    files.fails = true;
    connect(600);
    await later();
    expect(connect(1)).toBe(0);
    files.fails = false;
    await later();
    expect(connect(1)).toBe(1);
  });

  it('says so once a minute', async () => {
    const { clock, lines, connect, later } = stage(100);
    await later();
    connect(500);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/"limit":100,.*connections are refused.*ulimit -n/);
    await clock.advance(60_000);
    expect(lines[1]).toMatch(/"leftOut":424/);
  });

  it('lets all in where the limit is not known', () => {
    expect(stage(null).connect(5000)).toBe(5000);
  });
});

it.runIf(process.platform === 'linux')('reads what the system says', async () => {
  const { limit, count } = systemOpenFiles();
  expect(readFileSync('/proc/self/limits', 'utf8')).toContain(`${limit}`);
  expect(await count()).toBeGreaterThan(2);
});
