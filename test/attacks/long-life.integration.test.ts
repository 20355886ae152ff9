// A server that runs for long does not grow without end: thousands of runs go with their file, and a week of work keeps its size.
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import Database from 'libsql';
import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { openEmbeddedDb } from '../../src/stores/embedded/db.ts';
import { events } from '../../src/stores/runs/collections.ts';
import { addOldRuns, countOf } from '../support/old-runs.ts';
import { createShiftedClock } from '../support/shifted-clock.ts';
import { startTestServer } from '../support/test-server.ts';

const dayMs = 86_400_000;
/** Kept for longer than the days of the test last: maintenance jobs stay for 30. */
const slow = new Set(['maintenance_runs']);
/** Runs of long ago: more than one step removes, and a file that would be seen to stay large. */
const many = 3000;
const patience = { timeout: 200_000, interval: 100 };

async function open(environment: Record<string, string>, clock = systemClock) {
  const server = await startTestServer(environment, null, clock);
  onTestFinished(() => server.close());
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await server.call(method, path, body);
    expect(answer.body.error ?? null).toBeNull();
    return answer.body.data;
  };
  return {
    server,
    data: (path: string) => ask('GET', path),
    post: (path: string, body?: object) => ask('POST', path, body),
    put: (path: string, body: object) => ask('PUT', path, body),
    fileBytes: async () => (await stat(join(server.config.dataDir, 'rivulet.db'))).size,
    openFile: () => openEmbeddedDb({ folder: server.config.dataDir, clock: systemClock, logger: silentLogger }),
  };
}

it('thousands of runs go, the file with them, and what is left answers', async () => {
  const { server, data, post, fileBytes, openFile } = await open({ RIVULET_RUNS_KEPT_DAYS: '30' });
  const { id } = await post('/api/agent/runs', { goal: 'x'.repeat(2000) });
  for (let n = 0; n < 5; n++) await post(`/api/agent/runs/${id}/notes`, { content: 'x'.repeat(500) });
  await post(`/api/agent/runs/${id}/cancel`);
  const kept = await post('/api/agent/runs', { goal: 'Old, but it never began.' });
  const begun = await fileBytes();
  let before: Record<string, number> = {};
  await server.restart(async () => {
    const db = openFile();
    before = await countOf(db);
    await addOldRuns(db, id, { count: many, days: 31 });
    expect((await countOf(db)).agent_runs).toBe(before.agent_runs! + many);
    await db.close();
    // Three times what may be left.
    expect(await fileBytes()).toBeGreaterThan(begun + 30e6);
  });
  await expect.poll(async () => (await data('/api/agent/runs')).totalCount, patience).toBe(before.agent_runs);
  // Free pages for the writes to come stay: 8 MB.
  await expect.poll(fileBytes, patience).toBeLessThan(begun + 10e6);
  expect((await data(`/api/agent/runs/${id}`)).notes).toHaveLength(5);
  expect((await data(`/api/agent/runs/${kept.id}`)).status).toBe('Pending');
  await post(`/api/agent/runs/${kept.id}/start`);
  await expect.poll(async () => (await data(`/api/agent/runs/${kept.id}`)).iterationsUsed).toBeGreaterThan(0);
  await post(`/api/agent/runs/${kept.id}/cancel`);
  await server.restart(async () => {
    const db = openFile();
    expect(await countOf(db)).toMatchObject({
      ...{ agent_notes: 5, agent_runs: before.agent_runs, agent_trees: before.agent_trees },
    });
    expect(await db.collection(events).countDocuments({ runId: { $gte: 1_000_000 } })).toBe(0);
    await db.close();
  });
}, 300_000);

it('a week of work keeps its size, in every collection', async () => {
  const clock = createShiftedClock();
  const kept = ['RUNS', 'CHATS', 'MESSAGES', 'CALLS', 'ACTIVITY', 'LEDGERS', 'LOG'];
  const days = Object.fromEntries(kept.map((kind) => [`RIVULET_${kind}_KEPT_DAYS`, '1']));
  const { server, data, post, put } = await open({ ...days, RIVULET_MODEL: 'scripted:hello' }, clock);
  const { version: _v, updatedByName: _n, updatedAtUtc: _u, ...policy } = await data('/api/tenant-policy');
  await put('/api/tenant-policy', { ...policy, eventRetentionDays: 1, auditRetentionDays: 1 });
  const project = await post('/api/projects', { name: 'Of every day' });
  const identity = await post('/api/identities', { name: 'Daily', type: 'AI' });
  const routine = await post('/api/agent/routines', {
    ...{ name: 'Daily', briefMarkdown: 'Look.', scheduleKindId: 'Manual', projectId: project.id },
  });
  const large = 'What is written each day is long. '.repeat(600);

  const work = async () => {
    const ids: number[] = [];
    for (let at = 0; at < 10; at++) {
      const run = await post('/api/agent/runs', { goal: large, projectId: project.id, autoStart: true });
      await post(`/api/agent/runs/${run.id}/notes`, { content: large.slice(0, 10_000) });
      ids.push(run.id);
      const chat = await post('/api/chat/sessions', { title: `Chat ${at}` });
      await post(`/api/chat/sessions/${chat.id}/messages`, { role: 'user', content: large });
      await post('/api/messages', { recipientIds: [identity.id], content: large.slice(0, 10_000) });
    }
    ids.push((await post(`/api/agent/routines/${routine.id}/run`, {})).agentRunId);
    for (const id of ids) expect((await data(`/api/agent/runs/${id}/wait?timeoutMs=60000`)).status).toBe('Completed');
  };
  const look = viewOf(join(server.config.dataDir, 'rivulet.db'));
  let now = look();
  /** What the file holds so much later. What retention and sweeps remove then may go a moment after that. */
  const later = (ms: number) => {
    clock.shift(ms);
    now = look();
    return now;
  };
  const passed = ({ agent_runs: runs, chat_sessions: chats, messages }: View['counts']) =>
    runs! + chats! + messages! === 0;
  /** A day passes, and what went with it: runs, chats and messages are gone, and three looks find the same. */
  const dayPasses = async () => {
    later(1.1 * dayMs);
    let still = 0;
    const settled = () => {
      const before = now.counts;
      // What is settled after the end of a run may come when the clock was set, so that it is a day younger.
      later(passed(before) ? 60_000 : 0.3 * dayMs);
      still = passed(before) && isDeepStrictEqual(before, now.counts) ? still + 1 : 0;
      return still;
    };
    await expect.poll(settled, { timeout: 60_000, interval: 150 }).toBeGreaterThan(2);
  };
  const found: View[] = [];
  for (let day = 0; day < 7; day++) {
    await work();
    await dayPasses();
    found.push(now);
    await server.restart();
  }
  // Things that are made once are there after the third day; each start leaves a session of its sign-in link.
  const early = found[2]!;
  const grown = () => {
    const { counts } = later(600_000);
    const more = Object.keys(counts).filter((name) => !slow.has(name) && counts[name]! > (early.counts[name] ?? 0) + 5);
    return more.map((name) => [name, ...[...found, now].map((one) => one.counts[name])]);
  };
  await expect.poll(grown, { timeout: 60_000, interval: 200 }).toEqual([]);
  // Free pages come and go with the moment of the last removal: up to 8 MB of them stay.
  await expect.poll(() => look().freeBytes).toBeLessThan(10e6);
  expect(now.bytes, found.map(({ bytes }) => bytes).join()).toBeLessThan(early.bytes + 200_000);
}, 300_000);

interface View {
  /** Documents by collections. */
  counts: Record<string, number>;
  /** Of the file, without its free pages. */
  bytes: number;
  freeBytes: number;
}

/** Looks into the file of a store beside its server. */
function viewOf(path: string): () => View {
  const file = new Database(path, { readonly: true });
  onTestFinished(() => void file.close());
  const number = (sql: string) => Object.values(file.prepare(sql).get() as Record<string, number>)[0]!;
  const tables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name GLOB 'd_*'";
  return () => {
    const names = (file.prepare(tables).all() as { name: string }[]).map(({ name }) => name);
    const counts = names.map((name) => [name.slice(2), number(`SELECT count(*) FROM "${name}"`)] as const);
    const [size, pages, free] = ['page_size', 'page_count', 'freelist_count'].map((fact) => number(`PRAGMA ${fact}`));
    return { counts: Object.fromEntries(counts), bytes: size! * (pages! - free!), freeBytes: size! * free! };
  };
}
