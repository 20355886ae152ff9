// A year of two hundred routines on three nodes that are killed between any two writes, set to other times, and left standing.
import { expect, it } from 'vitest';
import type { RunRecord } from '../../../../runtime/records.ts';
import { openTestDb } from '../../../../test/support/embedded-db.ts';
import { mortal } from '../../../../test/support/mortal-db.ts';
import { oracleDues } from '../../../../test/support/routine-oracle.ts';
import { oracleZones, randomCron, seeded } from '../../../../test/support/routine-samples.ts';
import { silentLogger } from '../../../kernel/logger.ts';
import { openGate } from '../../../ports/queues.ts';
import { nextDue } from '../../../routines/calendar.ts';
import { createIds } from '../../../stores/ids.ts';
import { createRoutineBook } from './book.ts';
import { createCover } from './cover.ts';
import { createRowLife } from './life.ts';
import { ledgerRecord, openOutcomes, type RoutineDoc, routineRecord, scheduleOf, triggerRecord } from './record.ts';
import { createReports } from './reports.ts';

const hour = 3_600_000;
const start = Date.UTC(2026, 0, 1);
const end = Date.UTC(2027, 0, 1);
const count = 200;
/** Moments of a routine in that year. */
const mostDues = 120;

it('covers each moment once, as the oracle names them, and starts no run twice', async () => {
  const random = seeded(2026);
  const db = openTestDb();
  await db.ensureIndexes([routineRecord.spec, ledgerRecord.spec, triggerRecord.spec]);
  const ids = createIds({ db });
  let now = start;

  const runs = new Map<number, RunRecord & { endsAt: number }>();
  const byKey = new Map<string, number>();
  const createRun = async ({ idempotencyKey }: { idempotencyKey?: string | null }) => {
    const key = String(idempotencyKey);
    const id = byKey.get(key) ?? byKey.size + 1;
    byKey.set(key, id);
    const run =
      runs.get(id) ?? ({ id, status: 'Queued', endsAt: now + random(6) * hour } as RunRecord & { endsAt: number });
    runs.set(id, run);
    return run;
  };
  const findRun = async (id: number) => {
    const run = runs.get(id);
    return run && now >= run.endsAt
      ? ({
          ...run,
          status: 'Completed',
          completedAt: run.endsAt,
          result: { summary: `Run ${id}`, deliverable: null },
        } as RunRecord)
      : (run ?? null);
  };

  const node = () => {
    const fuse = { left: random(3) === 0 ? random(60) : 2000 + random(4000) };
    const own = mortal(db, fuse);
    const skew = { ms: 0 };
    const clock = {
      now: () => now + skew.ms,
      steady: () => now,
      sleep: async () => {},
      every: () => () => {},
      after: () => () => {},
    };
    const publisher = { publish: async () => {} };
    const book = createRoutineBook({ db: own, ids, clock, publisher, blockedIn: async () => null });
    const reports = createReports({
      ...{ clock, publisher, people: async () => [] },
      inbox: { send: async () => ({ message: {} as never, existed: true }) },
    });
    const life = createRowLife({
      gate: openGate,
      book,
      clock,
      log: silentLogger,
      reports,
      createRun,
      findRun,
      staff: async () => ({ identityId: 1 }),
    });
    const cover = createCover({ book, clock, start: life.startLater, isClosing: () => false });
    return { fuse, skew, life, cover };
  };

  const wanted = new Map<number, number[]>();
  for (let made = 0; made < count; ) {
    const cronExpression = randomCron(random, 'hours');
    const timezoneId = oracleZones[random(oracleZones.length)] as string;
    const dues = oracleDues(cronExpression, timezoneId, start, end, mostDues);
    // What is due many times a day says nothing more, and takes long.
    if (dues.length < 3 || dues.length > mostDues) continue;
    made++;
    wanted.set(made, dues);
    const at = new Date(start);
    const doc = {
      ...{
        _id: made,
        tenantId: 1,
        guid: '',
        name: `r${made}`,
        description: null,
        briefMarkdown: 'x',
        thresholdMarkdown: null,
      },
      ...{
        identityId: 1,
        identityName: null,
        roleDefinitionId: null,
        roleName: null,
        toolProfileName: null,
        projectId: null,
      },
      ...{ taskId: null, briefVersion: 1, briefs: [], scheduleKindId: 'Cron', cronExpression, timezoneId },
      ...{
        intervalMinutes: null,
        runOnceAt: null,
        watchExpiry: null,
        anchorAt: at,
        coveredTo: at,
        scheduleVersion: 1,
        failuresAfterSeq: 0,
      },
      quietHoursJson: random(3) === 0 ? '{"from":"22:00","to":"06:00"}' : null,
      ...{ maxRunsPerDay: random(3), maxConcurrentRuns: random(3), isEnabled: true, pauseOnRepeatedAuthFailure: true },
      missedRunPolicyId: (['Skip', 'RunOnce', 'RunAll'] as const)[random(3)],
      ...{ reportPolicyId: 'Never', poolTokenBudgetOverride: null, pausedAt: null, pausedReason: null },
      ...{ lastRunAt: null, lastOutcomeId: null, lastRunStatusId: null, lastSeq: 0, failuresAfterSeq: 0 },
      ...{ createdByUserId: 1, createdByIdentityId: 1, createdAt: at, updatedAt: at, nextDueAt: null },
    } as RoutineDoc;
    const next = nextDue(scheduleOf(doc), start);
    await db.collection(routineRecord.spec).insertOne({ ...doc, nextDueAt: next === null ? null : new Date(next) });
  }

  const nodes = [node(), node(), node()];
  let kills = 0;
  const tick = async (at: number) => {
    const one = nodes[at] as ReturnType<typeof node>;
    try {
      await one.life.look();
      await one.cover.all();
    } catch (error) {
      if ((error as Error).message !== 'killed') throw error;
      kills++;
      nodes[at] = node();
    }
  };
  const all = node();
  all.fuse.left = Number.POSITIVE_INFINITY;
  while (now < end) {
    const step = random(60) === 0 ? random(100) * hour : random(12) * hour;
    const wake = random(3) > 0 ? await all.cover.nextWake() : null;
    now = Math.min(end, wake !== null && wake < now + step ? wake : now + step + 1);
    // A clock that was set wrong for a while, either way.
    for (const one of nodes) one.skew.ms = random(20) === 0 && now < end - 20 * hour ? (random(20) - 10) * hour : 0;
    const awake = [0, 1, 2].filter(() => random(4) > 0);
    await Promise.all(awake.map(tick));
  }
  now = end;
  const rows = db.collection(ledgerRecord.spec);
  // What waits behind a run that had not ended comes when that has.
  for (let round = 0; round < 40; round++) {
    await all.life.look();
    await all.cover.all();
    now += hour;
  }
  const kept = await rows.find({}).toArray();
  const covered = new Map<number, number[]>();
  for (const { routineId, dueAt } of kept.toSorted((a, b) => a.dueAt.getTime() - b.dueAt.getTime()))
    if (dueAt.getTime() <= end) covered.set(routineId, [...(covered.get(routineId) ?? []), dueAt.getTime()]);
  for (const [id, dues] of wanted) expect(covered.get(id) ?? [], `routine ${id}`).toEqual(dues);
  const started = kept.filter(({ agentRunId }) => agentRunId !== null);
  expect(new Set(started.map(({ agentRunId }) => agentRunId)).size).toBe(started.length);
  expect(byKey.size).toBe(started.length);
  expect(
    kept.filter(({ outcomeId }) => (openOutcomes as readonly string[]).includes(outcomeId) === false).length,
  ).toBeGreaterThan(kept.length * 0.95);
  expect(kills).toBeGreaterThan(20);
  expect(new Set(kept.map(({ outcomeId }) => outcomeId)).size).toBeGreaterThan(4);
  console.info(`${kept.length} rows, ${started.length} runs, ${kills} kills`);
}, 600_000);
