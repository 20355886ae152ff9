// A run as a file: JSON, a report, a trace, for its tenant alone; and the code that starts one like it.
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startCode } from '../../src/web/pages/run/start-code.ts';
import { openStage, type Stage } from '../support/stage.ts';
import { registerStranger } from '../support/strangers.ts';
import { request } from '../support/test-server.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  stage.cast({ note: [{ text: ['I write.'], calls: [['run_note', { content: 'waves' }]] }, { text: ['Written.'] }] });
});
afterAll(() => stage.close());

const file = async (id: number, format: 'Json' | 'Markdown' | 'Otlp') => {
  const answer = await stage.server.client.agentRuns.export({ params: { id }, query: { format } });
  const name = /filename="?([^";]+)/.exec(answer.headers.get('content-disposition') ?? '')?.[1];
  return { name, type: answer.headers.get('content-type'), text: await answer.text() };
};

it('a run is exported in three formats', async () => {
  const { id } = await stage.start('note the sea');
  const run = await stage.end(id);
  const json = await file(id, 'Json');
  expect(json).toMatchObject({ name: `run-${id}.json`, type: expect.stringContaining('application/json') });
  const { run: exported, events, eventsLeftOut } = JSON.parse(json.text);
  expect(exported).toMatchObject({ id, goal: 'note the sea', status: 'Completed', costUsd: run.costUsd });
  expect(exported).not.toHaveProperty('recentEvents');
  expect(eventsLeftOut).toBe(0);
  expect(events).toEqual(await stage.server.client.agentRuns.events({ params: { runId: id }, query: { limit: 1000 } }));

  const report = await file(id, 'Markdown');
  expect(report).toMatchObject({ name: `run-${id}.md`, type: expect.stringContaining('text/markdown') });
  expect(report.text).toContain('```text\nnote the sea\n```');
  expect(report.text).toMatch(/Call of ` run_note `[\s\S]*```json\n\{"content":"waves"\}\n```/);
  expect(report.text).toMatch(/## Result\n\n```text\nWritten\.\n```/);

  const trace = await file(id, 'Otlp');
  expect(trace.name).toBe(`run-${id}.otlp.json`);
  const { spans } = JSON.parse(trace.text).resourceSpans[0].scopeSpans[0];
  const names = spans.map((span: { name: string }) => span.name.split(' ', 1)[0]);
  expect(names).toEqual(['invoke_agent', 'chat', 'execute_tool', 'chat']);
  expect(new Set(spans.slice(1).map((span: { parentSpanId: string }) => span.parentSpanId))).toEqual(
    new Set([spans[0].spanId]),
  );
});

it('a run of another tenant is as unknown as one that never was', async () => {
  const { id } = await stage.start('note the sea');
  await stage.end(id);
  const key = await registerStranger(stage.server, 'stranger');
  const asStranger = (of: number) =>
    request(stage.server.url, 'GET', `/api/agent/runs/${of}/export`, undefined, { authorization: `Bearer ${key}` });
  const [foreign, unknown] = [await asStranger(id), await asStranger(999_999)];
  expect([foreign.status, unknown.status]).toEqual([404, 404]);
  expect(foreign.body.error.replace(String(id), '999999')).toBe(unknown.body.error);
});

it('the code for curl says in a shell what the run was given, whatever is in its goal', async () => {
  const goal = `note it's "here" $HOME \`id\`\n'; exit 1 \\`;
  const run = await stage.server.client.agentRuns.create({ body: { goal, role: 'worker', maxTokens: 9000 } });
  const shell = `curl() { printf '%s\\0' "$@"; }\n${startCode(run, stage.server.url).curl}`;
  const said = execFileSync('sh', ['-c', shell], { env: { RIVULET_KEY: stage.server.key }, encoding: 'utf8' }).split(
    '\0',
  );
  const [url = '', , authorization = ''] = said;
  const body = JSON.parse(said[said.indexOf('-d') + 1] ?? '');
  const made = await request(url, 'POST', '', body, { authorization: authorization.replace(/^\S+ /, '') });
  expect(made.body.data).toMatchObject({ goal, role: 'worker', maxTokens: 9000, maxIterations: run.maxIterations });
});
