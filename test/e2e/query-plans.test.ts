// Every statement that the server makes on a filled store reads what it returns and little more, so that it stays as quick as the store grows.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fillStore } from '../../bench/growth/fill.ts';
import { loadConfig } from '../../src/config.ts';
import { parts } from '../../src/groups/parts.ts';
import { type Clock, systemClock } from '../../src/kernel/clock.ts';
import { silentLogger } from '../../src/kernel/logger.ts';
import { type RivuletServer, startServer } from '../../src/server.ts';
import { openEmbeddedDb } from '../../src/stores/embedded/db.ts';
import { fillPath, operations, type Schema, schemaOf, smallestBody } from '../support/operations.ts';
import { type Complaint, eachCounted, judgePlans, recordStatements } from '../support/query-plans.ts';
import { adminKey, request } from '../support/test-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'rivulet-plans-'));
const config = loadConfig({
  RIVULET_DATA: folder,
  RIVULET_PORT: '0',
  RIVULET_ADMIN_KEY: adminKey,
  RIVULET_SANDBOX: 'off',
  RIVULET_MODEL: 'scripted:echo',
  // Long enough that all stays, and is looked for.
  RIVULET_RUNS_KEPT_DAYS: '3000',
  RIVULET_CHATS_KEPT_DAYS: '3000',
  RIVULET_MESSAGES_KEPT_DAYS: '3000',
});
/** What the server does from time to time; each is done here at once. */
const rounds: (() => void)[] = [];
const clock: Clock = {
  ...systemClock,
  every(ms, run) {
    rounds.push(run);
    return systemClock.every(ms, run);
  },
};
const recorded = recordStatements();
let server: RivuletServer;
let complaints: Complaint[] = [];
let runIds: number[] = [];
/** What analytics and usage asked the store for. */
let summing: string[] = [];
/** What reads without a filter asked it for. */
let unfiltered: string[] = [];

const failed: string[] = [];
async function call(method: string, path: string, body?: unknown) {
  const answer = await request(server.url, method, path, body, { authorization: `Bearer ${adminKey}` });
  if (answer.status === 500) failed.push(`${method} ${path}`);
  return answer;
}

beforeAll(async () => {
  await (await startServer({ durable: false, config, log: silentLogger })).close();
  const db = openEmbeddedDb({ folder, clock: systemClock, logger: silentLogger, sync: null });
  runIds = await fillStore({ db, runs: 1500, until: Date.now(), streamed: 2 });
  await db.close();
  recorded.statements.clear();
  server = await startServer({ durable: false, config, log: silentLogger, clock });
  summing = await newWith(useSums);
  unfiltered = await newWith(readEverything);
  await useEverything();
  for (const round of rounds) round();
  await call('GET', '/api/system/health');
  await server.close();
  complaints = judgePlans(join(folder, 'rivulet.db'), recorded.statements);
});
afterAll(() => {
  recorded.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Values of a query's field that a list may be narrowed or sorted by. */
function valuesOf(name: string, schema: Schema): (string | number | boolean)[] {
  const at = schema.anyOf?.[0] ?? schema;
  if (name === 'format') return [];
  const one = at.type === 'array' ? (at.items ?? at) : at;
  if (one.enum) return name === 'sort' ? (one.enum as string[]) : [...(one.enum as string[]).slice(0, 2)];
  if (one.type === 'boolean') return [true];
  if (one.format === 'date-time') return [new Date(Date.now() - 86_400_000).toISOString()];
  if (one.type === 'string') return [name === 'role' ? 'worker' : 'build'];
  if (name === 'page') return [2];
  return name === 'pageSize' ? [] : [1];
}

/** The statements that `use` is the first to need. */
async function newWith(use: () => Promise<void>): Promise<string[]> {
  const before = new Set(recorded.statements);
  await use();
  return [...recorded.statements].filter((sql) => !before.has(sql));
}

/** The ids in the paths of what is there. */
async function idsOf(): Promise<(path: string) => (name: string) => number> {
  const { body } = await call('GET', '/api/chat/sessions');
  const sessionId = body.data.items[0].id;
  return (path) => (name) =>
    /session/i.test(name) || path.startsWith('/api/chat/sessions') ? sessionId : name === 'identityId' ? 1 : runIds[0]!;
}

const reads = operations.filter(({ operation, method }) => method === 'GET' && operation.reply !== 'stream');

async function readEverything(): Promise<void> {
  const idOf = await idsOf();
  for (const { template } of reads) await call('GET', fillPath(template, idOf(template)));
}

async function useSums(): Promise<void> {
  const analytics = [
    '',
    '/matrix',
    '/timeseries?groupBy=Role',
    '/timeseries?groupBy=Model&bucket=Month',
    '?role=coder',
  ];
  for (const path of analytics) await call('GET', `/api/agent/analytics${path}`);
  const usage = [
    '',
    '?groupBy=Model',
    '?groupBy=Role',
    '?groupBy=Day',
    '?modelId=ollama:qwen3',
    '/timeseries?bucket=Week',
  ];
  for (const path of usage) await call('GET', `/api/ai-router/usage${path}`);
}

/** Calls every read with each of its filters and sorts, then everything else once, and lets a tree of runs end. */
async function useEverything(): Promise<void> {
  const idOf = await idsOf();
  for (const { operation, template } of reads) {
    const path = fillPath(template, idOf(template));
    const fields = Object.entries(schemaOf(operation, 'query')?.properties ?? {});
    for (const [name, schema] of fields) {
      for (const value of valuesOf(name, schema)) {
        await call('GET', `${path}?${name}=${encodeURIComponent(value)}`);
        if (name === 'status') await call('GET', `${path}?status=Completed&status=Failed&page=2`);
      }
    }
  }
  await runToTheEnd();
  for (const { operation, method, template } of operations) {
    if (method === 'GET' || template.includes('/auth/') || template.includes('shutdown')) continue;
    const body = smallestBody(operation);
    if (template.includes('stream') || template.includes('/v1/') || template.includes('ai-router/settings')) continue;
    await call(method, fillPath(template, idOf(template)), body);
  }
}

async function runToTheEnd(): Promise<void> {
  const made = await call('POST', '/api/agent/runs', { goal: 'Say hello', autoStart: true, idempotencyKey: 'once' });
  const { id } = made.body.data;
  await call('POST', `/api/agent/runs/${id}/spawn`, { goal: 'Say hello too' });
  await call('GET', `/api/agent/runs/${id}/wait?timeoutMs=20000`);
  await call('POST', `/api/agent/runs/${id}/restart`, {});
  await call('POST', `/api/agent/runs/${id}/cancel`, { cascade: true });
}

/** Collections that do not grow with what a server does: those of records say so by `staysSmall`. */
const small = [
  ...parts.flatMap(({ records }) => records.flatMap(({ staysSmall, spec }) => (staysSmall ? [spec.name] : []))),
  ...'tenants users identities api_keys counters migrations migration_locks agent_nodes ai_providers ai_provider_keys ai_models ai_routes ai_budgets ai_router_settings agent_roles agent_tool_profiles roles projects presence stream_origin tenant_policies audit_heads server_state demos'.split(
    ' ',
  ),
];

/** What may walk a tenant all the same, and why. */
const excused: readonly { collection: string; sql: RegExp; why: string }[] = [
  ...['agent_memories', 'personal_memories'].map((collection) => ({
    collection,
    sql: new RegExp(`^SELECT (rowid AS row|count\\(\\*\\)) ?FROM "d_${collection}" INDEXED BY \\S+ WHERE `),
    why: 'A list counts what has not expired, of what people and agents chose to write down.',
  })),
  {
    collection: 'a2a_receivers',
    sql: /^SELECT doc FROM "d_a2a_receivers" INDEXED BY \S+ WHERE tenantId = \?$/,
    why: 'Receivers of a tenant are read once, at its first event, and go with their runs.',
  },
  {
    collection: 'audit_events',
    sql: /^SELECT rowid AS row FROM "d_audit_events" INDEXED BY \S+ WHERE tenantId = \?$/,
    why: 'Category, outcome, and the kinds of actor and target are shared by many; only their count reads them all.',
  },
  {
    collection: 'project_tasks',
    sql: /status NOT IN|^SELECT (rowid AS row|count\(\*\)) ?FROM "d_project_tasks" INDEXED BY \S+ WHERE tenantId = \?$/,
    why: 'Open tasks are most of what is listed, in an order that is there; only the count of a list reads them all.',
  },
  {
    collection: 'project_tasks',
    sql: /\(instr\(title, \?\) > 0\) OR \(instr\(description, \?\) > 0\)/,
    why: 'Either of two texts is looked for in the order of the list; the search over everything asks for each alone.',
  },
  {
    collection: 'project_tasks',
    sql: /priority >= \?/,
    why: 'A least importance leaves out few; the first of those in the order of the list are found on the way.',
  },
  {
    collection: 'identity_hints',
    sql: /dueAt <= \?/,
    why: 'What is due and not seen to is a handful, and is shown by its weight.',
  },
  {
    collection: 'workspaces',
    sql: /removingAt = \? AND tenantId/,
    why: 'All but those that go this moment are shown.',
  },
  {
    collection: 'site_builds',
    sql: /INDEXED BY "i_site_builds.building"/,
    why: 'Builds that are under way: at most one a project.',
  },
  {
    collection: 'ai_calls',
    sql: /^SELECT rowid AS row,createdAt,id .* ORDER BY createdAt,id$/,
    why: 'An export has all.',
  },
];

it('scans and sorts nothing that grows', () => {
  expect(failed).toEqual([]);
  expect(recorded.statements.size).toBeGreaterThan(100);
  const isExcused = (one: Complaint) =>
    small.includes(one.collection) ||
    excused.some(({ collection, sql }) => collection === one.collection && sql.test(one.sql));
  const found = complaints.filter((one) => !isExcused(one));
  expect(found.map(({ collection, kind, sql, plan }) => `${collection} ${kind}: ${sql}\n  ${plan}`).join('\n')).toBe(
    '',
  );
});

/** What is counted one by one: of a few runs, by a few people, or for the operator of what began within three days. */
const fewAreCounted = [
  ...['agent_tasks', 'identity_hints', 'standing_rules', 'prompts'],
  ...['agent_routine_runs', 'webhook_deliveries', 'channel_deliveries', 'site_builds', 'maintenance_runs'],
];

it('counts lists without a filter by an index alone', () => {
  expect(unfiltered.some((sql) => sql.startsWith('SELECT count(*) FROM "d_mailbox"'))).toBe(true);
  const counted = unfiltered.filter((sql) => sql.includes(eachCounted)).map((sql) => /"d_([^"]+)"/.exec(sql)![1]!);
  expect(counted.filter((collection) => ![...small, ...fewAreCounted].includes(collection))).toEqual([]);
});

it('looks for a text in the audit log by its index', () => {
  const texts = [...recorded.statements].filter((sql) => sql.includes('"f_audit_events.') && sql.includes('MATCH'));
  expect(texts.some((sql) => /FROM "d_audit_events".* rowid IN \(SELECT rowid FROM "f_audit_events/.test(sql))).toBe(
    true,
  );
});

it('adds up what is rolled up, and no documents but the newest and those of a part of a bucket', () => {
  const read = summing.filter((sql) => /FROM "d_(agent_runs|ai_calls|agent_feedback)"/.test(sql));
  const isBounded = (sql: string) =>
    sql.includes('rolled IS NULL') || / LIMIT (1|\?)/.test(sql) || sql.startsWith('SELECT doc, rowid');
  // Each column of time with both of its ends.
  const isPart = (sql: string) => /(k\d+) >= \?.* AND \1 < \?/.test(sql) && sql.includes('count(*)');
  expect(summing.some((sql) => sql.includes('FROM "r_ai_calls.'))).toBe(true);
  expect(read.filter((sql) => !isBounded(sql) && !isPart(sql))).toEqual([]);
});
