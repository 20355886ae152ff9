// Search in the events of a run and of its tree: words in payloads, types, times, pages, and whose events they are.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openStage, type Stage } from '../support/stage.ts';
import { registerStranger } from '../support/strangers.ts';
import { request } from '../support/test-server.ts';

let stage: Stage;
let root: number;
beforeAll(async () => {
  stage = await openStage();
  stage.cast({
    search: [
      {
        text: ['I send somebody to the mill.'],
        calls: [
          ['run_note', { content: 'The "red" heron stands' }],
          ['run_spawn', { goal: 'below the mill', role: 'planner' }],
        ],
      },
      { calls: [['run_join', { mode: 'all' }]] },
      { text: ['Done.'] },
    ],
    below: [{ text: ['I look.'], calls: [['run_note', { content: 'A heron again' }]] }, { text: ['Seen.'] }],
  });
  root = (await stage.start('search the river', { role: 'planner' })).id;
  await stage.end(root);
});
afterAll(() => stage.close());

type Query = NonNullable<Parameters<Stage['server']['client']['agentRuns']['searchEvents']>[0]['query']>;
const search = (query: Query, runId = root) => stage.server.client.agentRuns.searchEvents({ params: { runId }, query });

it('words are found in payloads of the whole tree, page by page, each with a way to it', async () => {
  const quoted = await search({ q: 'heron red', types: ['ToolCallStarted'] });
  expect(quoted).toMatchObject({
    hasMore: false,
    items: [{ runId: root, toolName: 'run_note', type: 'ToolCallStarted' }],
  });
  const [hit] = quoted.items;
  const [excerpt] = hit?.excerpts ?? [];
  expect(excerpt).toMatchObject({ field: 'content', text: 'The "red" heron stands' });
  expect(excerpt?.marks.map(({ at, length }) => excerpt.text.substr(at, length))).toEqual(['red', 'heron']);
  const [event] = await stage.server.client.agentRuns.events({
    params: { runId: root },
    query: { afterSeq: (hit?.seq ?? 0) - 1, limit: 1 },
  });
  expect(event).toMatchObject({ type: 'ToolCallStarted', payloadJson: expect.stringContaining('heron') });

  const all = await search({ q: 'heron', includeChildren: true });
  expect(new Set(all.items.map((one) => one.runId)).size).toBe(2);
  const seen: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const page = await search({ q: 'heron', includeChildren: true, limit: 1, cursor });
    seen.push(...page.items.map((one) => `${one.runId}.${one.seq}`));
    cursor = page.cursor;
    if (!page.hasMore) break;
  }
  expect(seen).toEqual(all.items.map((one) => `${one.runId}.${one.seq}`));

  const at = all.items[0]?.createdAtUtc ?? '';
  const before = await search({ q: 'heron', includeChildren: true, toUtc: at });
  const after = await search({ q: 'heron', includeChildren: true, fromUtc: at });
  expect([before.items.length, after.items.length]).toEqual([0, all.items.length]);
});

it('what makes no sense is refused with a hint, and events of others are not there', async () => {
  const ask = (query: string, key = stage.server.key) =>
    request(stage.server.url, 'GET', `/api/agent/runs/${root}/events/search?${query}`, undefined, {
      authorization: `Bearer ${key}`,
    });
  for (const query of [
    'q=%22half',
    'q=',
    'types=Nonsense',
    'cursor=1',
    'cursor=999999.1',
    'limit=0',
    'fromUtc=today',
  ]) {
    const { status, body } = await ask(query);
    expect([query, status, body.errorCode]).toEqual([query, 400, 'VALIDATION_FAILED']);
  }
  expect((await ask('q=%22half')).body).toMatchObject({
    error: expect.stringContaining('quotation'),
    hint: expect.any(String),
  });
  expect((await ask('q=heron', await registerStranger(stage.server, 'stranger'))).status).toBe(404);
});
