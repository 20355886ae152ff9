// The scheduler's own library on the embedded store: its MongoDB back end takes our Db as it is.
import { MongoBackend } from '@agendajs/mongo-backend';
import { Agenda } from 'agenda';
import type { Db as DriverDb } from 'mongodb';
import { expect, it, onTestFinished } from 'vitest';
import { openTestDb } from '../../test/support/embedded-db.ts';
import type { Db } from '../ports/db.ts';

async function startAgenda(db: Db): Promise<Agenda> {
  const backend = new MongoBackend({ mongo: db as unknown as DriverDb });
  const agenda = new Agenda({ backend, processEvery: 20 });
  onTestFinished(() => agenda.stop());
  await agenda.start();
  return agenda;
}

it('runs jobs now, later and again, and keeps one of a unique name', async () => {
  const db = openTestDb();
  const agenda = await startAgenda(db);
  const ran: unknown[] = [];
  agenda.define('greet', async (job) => {
    ran.push((job.attrs.data as { name: string }).name);
  });
  await agenda.now('greet', { name: 'now' });
  await agenda.schedule(new Date(Date.now() + 30), 'greet', { name: 'later' });
  await expect.poll(() => ran.toSorted(), { timeout: 5_000 }).toEqual(['later', 'now']);

  await agenda.every('1 hour', 'greet', { name: 'hourly' });
  await agenda.every('1 hour', 'greet', { name: 'hourly' });
  const { jobs } = await agenda.queryJobs({ name: 'greet' });
  expect(jobs.filter((job) => job.repeatInterval === '1 hour')).toHaveLength(1);
  expect(await agenda.cancel({ name: 'greet' })).toBeGreaterThan(0);
  expect((await agenda.queryJobs({ name: 'greet' })).total).toBe(0);
});

it('gives each job to one of two schedulers', async () => {
  const db = openTestDb();
  const ran: unknown[] = [];
  for (const agenda of [await startAgenda(db), await startAgenda(db)]) {
    agenda.define('count', async (job) => {
      ran.push((job.attrs.data as { n: number }).n);
    });
  }
  const [first] = [await startAgenda(db)];
  await Promise.all(Array.from({ length: 30 }, (_, n) => first.now('count', { n })));
  await expect.poll(() => ran.length, { timeout: 10_000 }).toBeGreaterThanOrEqual(30);
  expect(new Set(ran).size).toBe(30);
  expect(ran).toHaveLength(30);
});
