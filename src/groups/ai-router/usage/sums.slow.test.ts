// Sums of recorded calls are those of reading every one of them, whatever happens to the calls.
import { expect, it } from 'vitest';
import { openTestDb, temporaryFolder } from '../../../../test/support/embedded-db.ts';
import { type CallDoc, callSpec, latencyStep, sumsOfCall } from '../../../ports/ai-router.ts';
import type { Filter } from '../../../ports/db.ts';
import { perTenant } from '../../../ports/tenanted.ts';
import { bucketStart } from '../../buckets.ts';
import { latencyOf, sumBuckets, sumCalls, type Window } from './sums.ts';

const hour = 3_600_000;
const start = Date.parse('2026-03-01T00:00:00Z');
let state = 5;
const below = (limit: number) => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
};
const pick = <T>(list: readonly T[]): T => list[below(list.length)] as T;

function call(id: number): CallDoc {
  const modelId = pick(['m:a', 'm:b']);
  const latencyMs = below(2) === 0 ? below(40) : below(9000);
  const timeToFirstTokenMs = below(4) === 0 ? null : Math.floor(latencyMs / 3);
  const startedAt = new Date(start + below(10 * 24 * hour));
  const attempt = { providerId: 1, providerName: 'p', keyId: null, status: 'Succeeded', httpStatus: 200 } as const;
  const attempts = (below(5) === 0 ? ['m:z', modelId] : [modelId]).map((tried, at) => ({
    ...attempt,
    attempt: at + 1,
    modelId: tried,
    latencyMs,
    timeToFirstTokenMs,
    error: null,
    startedAt,
  }));
  return {
    _id: id,
    guid: `g${id}`,
    tenantId: below(5) === 0 ? 2 : 1,
    purpose: pick(['Run', 'Chat']),
    status: pick(['Succeeded', 'Succeeded', 'Failed', 'Cancelled']),
    routeId: pick([null, 7]),
    routeName: null,
    providerId: pick([null, 1]),
    providerName: 'p',
    modelId,
    attemptCount: attempts.length,
    promptTokens: below(3000),
    completionTokens: below(300),
    cacheReadTokens: below(100),
    costUsd: below(1000) / 1000,
    latencyMs,
    timeToFirstTokenMs,
    finishReason: 'stop',
    errorCode: null,
    identityId: pick([null, 3]),
    userId: null,
    runId: id,
    chatSessionId: null,
    projectId: null,
    role: pick(['coder', null]),
    attempts,
    ...sumsOfCall({ attempts, latencyMs, timeToFirstTokenMs }),
    decisionJson: null,
    sealedRequest: null,
    sealedResponse: null,
    createdAt: startedAt,
    promptsUntil: null,
  };
}

/** Figures of some calls, added up one by one. */
function naive(calls: readonly CallDoc[]) {
  const sum = (of: (one: CallDoc) => number) => calls.reduce((total, one) => total + of(one), 0);
  return {
    calls: calls.length,
    promptTokens: sum((one) => one.promptTokens),
    costUsd: Math.round(sum((one) => one.costUsd) * 1e6),
    latencyMs: sum((one) => one.latencyMs),
    firstTokens: sum((one) => (one.timeToFirstTokenMs === null ? 0 : 1)),
    timeToFirstTokenMs: sum((one) => one.timeToFirstTokenMs ?? 0),
    fallbacks: sum((one) => (new Set(one.attempts.map(({ modelId }) => modelId)).size > 1 ? 1 : 0)),
  };
}

const windows: Window[] = [
  [0, 10 * 24],
  [0.3, 100.7],
  [24, 72],
  [30, 31.5],
].map(([from, to]) => ({ from: new Date(start + from! * hour), to: new Date(start + to! * hour) }));
const filters: Filter<CallDoc>[] = [{}, { modelId: 'm:a' }, { purpose: 'Run', providerId: 1 }, { identityId: 3 }];

it('agree with reading every call, after changes, deletes and restarts', async () => {
  const folder = temporaryFolder();
  let db = openTestDb(folder);
  await db.ensureIndexes([callSpec]);
  const kept = new Map<number, CallDoc>();
  const check = async () => {
    const calls = perTenant(db.collection(callSpec))(1);
    for (const [at, filter] of filters.entries()) {
      for (const window of windows) {
        const matches = (one: CallDoc) =>
          one.tenantId === 1 &&
          one.createdAt >= window.from &&
          one.createdAt < window.to &&
          Object.entries(filter).every(([path, value]) => one[path as keyof CallDoc] === value);
        const wanted = [...kept.values()].filter(matches);
        const found = await sumCalls(calls, filter, window, ['modelId']);
        for (const one of found) {
          const some = wanted.filter(({ status, modelId }) => status === one._id.status && modelId === one._id.modelId);
          expect({ ...one, costUsd: Math.round(one.costUsd * 1e6) }).toMatchObject(naive(some));
        }
        expect(found.reduce((sum, one) => sum + one.calls, 0)).toBe(wanted.length);
        const latencies = wanted.map(({ latencyMs }) => latencyMs).sort((a, b) => a - b);
        const p95 = latencies[Math.max(0, Math.ceil(latencies.length * 0.95) - 1)] ?? 0;
        expect(await latencyOf(calls, filter, window, 0.95), `${at}`).toBe(p95);
        const byDay = new Map<number, number>();
        for await (const one of sumBuckets(calls, filter, window, { bucket: 'Day', fields: [] }))
          byDay.set(one.at, (byDay.get(one.at) ?? 0) + one.calls);
        for (const [day, count] of byDay)
          expect(count).toBe(wanted.filter((one) => bucketStart('Day', one.createdAt.getTime()) === day).length);
        expect([...byDay.values()].reduce((sum, count) => sum + count, 0)).toBe(wanted.length);
      }
    }
  };
  for (let round = 0; round < 3; round++) {
    const made = Array.from({ length: 700 }, (_, at) => call(1 + round * 700 + at));
    await db.collection(callSpec).insertMany(made);
    for (const one of made) kept.set(one._id, one);
    await check();
    const gone = [...kept.keys()].filter(() => below(3) === 0);
    await db.collection(callSpec).deleteMany({ _id: { $in: gone } });
    for (const id of gone) kept.delete(id);
    await db.close();
    db = openTestDb(folder);
    await db.ensureIndexes([callSpec]);
    await check();
  }
});

it('count latencies in classes that lie beside each other', () => {
  let floor = 0;
  for (let ms = 0; ms < 20_000; ms++) {
    const { latencyFloor } = sumsOfCall({ attempts: [], latencyMs: ms, timeToFirstTokenMs: null });
    if (latencyFloor === floor) continue;
    expect(latencyFloor).toBe(floor + latencyStep(floor));
    floor = latencyFloor;
    expect(ms).toBe(floor);
  }
});
