import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { AgentEvent } from '../../../../../runtime/records.ts';
import type { EventView } from '../../../../../runtime/views/run.ts';
import { renderMarkdown } from '../../../../markdown/render.ts';
import { jsonExport } from './json.ts';
import { markdownExport } from './markdown.ts';
import { otlpExport } from './otlp.ts';
import { eventPages } from './run-export.ts';
import type { ExportedRun, ExportSubject } from './subject.ts';

const hostile = 'Look:\n````\n# Forged\r~~~\r\n```js\n<img src=x onerror=alert(1)>';
const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();

function event(seq: number, type: EventView['type'], more: Partial<EventView> = {}): EventView {
  return {
    ...{ id: seq, guid: `event-${seq}`, runId: 7, rootRunId: 7, parentRunId: null, seq, type, level: 'Information' },
    ...{ iteration: 1, title: type, message: null, toolName: null, toolCallId: null, modelId: null },
    ...{ promptTokens: null, completionTokens: null, costUsd: null, durationMs: null, payloadJson: null },
    createdAtUtc: at(seq),
    ...more,
  };
}

const call = { toolName: 'look`\n# Forged', toolCallId: 'c1' };
const log = [
  event(1, 'RunStarted'),
  event(2, 'ModelCallStarted', { modelId: 'fake:small' }),
  event(3, 'ModelCallCompleted', {
    ...{ modelId: 'fake:small', message: hostile, promptTokens: 12, completionTokens: 3, costUsd: 0.5 },
    durationMs: 800,
  }),
  event(4, 'ToolCallStarted', { ...call, payloadJson: JSON.stringify({ argumentsJson: '{"at":"```"}' }) }),
  event(5, 'ToolCallFailed', { ...call, message: hostile, durationMs: 250 }),
  event(6, 'ModelCallStarted', { modelId: 'fake:small' }),
  event(7, 'ModelCallFailed', { modelId: 'fake:small', message: 'Too busy.' }),
];

function subject(more: Partial<ExportSubject> = {}): ExportSubject {
  const child = { id: 8, status: 'Completed', costUsd: 1, goal: hostile };
  const run = {
    ...{ id: 7, guid: 'run-guid', goal: hostile, status: 'Failed', failureReason: hostile, role: 'worker' },
    ...{ modelId: 'fake:small', identityId: 3, createdAtUtc: at(0), startedAtUtc: at(1), completedAtUtc: at(9) },
    ...{ promptTokens: 12, completionTokens: 3, costUsd: 2, childRuns: [child], childRunCount: 3 },
  } as unknown as ExportedRun;
  const events = (async function* () {
    yield* log;
  })();
  return { run, events, leftOut: 4, councils: [], rootGuid: 'root-guid', parentGuid: null, now: 0, ...more };
}

it('JSON has the run, its events and how many are left out', async () => {
  const { run } = subject();
  expect(JSON.parse(await text(jsonExport(subject())))).toEqual({ run, councils: [], eventsLeftOut: 4, events: log });
});

describe('the report in Markdown', () => {
  it('has nothing of what was said outside of code', async () => {
    const report = await text(markdownExport(subject()));
    const html = renderMarkdown(report);
    const headings = [...html.matchAll(/<h\d[^>]*>(.*?)<\/h\d>/gs)].map(([, inner]) => inner?.replace(/<[^>]+>/g, ''));
    expect(headings).toEqual([
      ...['Run 7', 'Goal', 'Figures', 'Steps', '3. Answer of fake:small', '4. Call of look` # Forged'],
      ...['5. Failure of look` # Forged', '7. Model call failed', 'Children', 'Reason'],
    ]);
    expect(html.replaceAll(/<(pre|code)\b.*?<\/\1>/gs, '')).not.toContain('onerror');
    expect(report.match(/onerror/g)).toHaveLength(5);
    expect(html).toContain('and 2 more');
    expect(html).toContain('4 later events are left out');
  });

  it('says so when results are cut as the log keeps them', async () => {
    const events = (async function* () {
      yield event(1, 'ToolCallCompleted', { ...call, message: 'x'.repeat(4000) });
    })();
    expect(await text(markdownExport(subject({ events })))).toContain('first 4000 characters');
    expect(await text(markdownExport(subject()))).not.toContain('first 4000 characters');
  });
});

describe('the trace', () => {
  const value = z.union([
    z.strictObject({ stringValue: z.string() }),
    z.strictObject({ intValue: z.string().regex(/^\d+$/) }),
    z.strictObject({ doubleValue: z.number() }),
  ]);
  const attributes = z.array(z.strictObject({ key: z.string(), value }));
  const spanId = z.string().regex(/^[0-9a-f]{16}$/);
  const nanos = z.string().regex(/^\d{19}$/);
  const span = z.strictObject({
    traceId: z.string().regex(/^[0-9a-f]{32}$/),
    spanId,
    parentSpanId: spanId.optional(),
    name: z.string().min(1),
    kind: z.int().min(1).max(5),
    startTimeUnixNano: nanos,
    endTimeUnixNano: nanos,
    attributes,
    status: z.strictObject({ code: z.literal(2), message: z.string() }).partial(),
  });
  const scopeSpans = z.strictObject({ scope: z.strictObject({ name: z.string() }), spans: z.array(span) });
  const resourceSpans = z.strictObject({ resource: z.strictObject({ attributes }), scopeSpans: z.array(scopeSpans) });
  const trace = z.strictObject({ resourceSpans: z.array(resourceSpans) });
  const spansOf = async (of: ExportSubject) =>
    trace.parse(JSON.parse(await text(otlpExport(of)))).resourceSpans[0]?.scopeSpans[0]?.spans ?? [];
  const aboutOf = (one: z.infer<typeof span> | undefined) =>
    Object.fromEntries((one?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]));

  it('has a span for the run, and below it one for each call, at the times that it took', async () => {
    const [run, answer, tool, failed, ...rest] = await spansOf(subject());
    expect(rest).toEqual([]);
    expect(run).not.toHaveProperty('parentSpanId');
    for (const one of [answer, tool, failed]) {
      expect(one).toMatchObject({ traceId: run?.traceId, parentSpanId: run?.spanId });
      expect(BigInt(one?.startTimeUnixNano ?? 0)).toBeLessThan(BigInt(one?.endTimeUnixNano ?? 0));
    }
    expect(answer).toMatchObject({ name: 'chat small', kind: 3, status: {} });
    expect(Number(answer?.startTimeUnixNano) / 1e6).toBe(Date.parse(at(3)) - 800);
    expect(aboutOf(answer)).toMatchObject({
      ...{ 'gen_ai.operation.name': 'chat', 'gen_ai.provider.name': 'fake', 'gen_ai.response.model': 'small' },
      ...{ 'gen_ai.usage.input_tokens': '12', 'gen_ai.usage.output_tokens': '3', 'rivulet.answer': hostile },
    });
    expect(aboutOf(tool)).toMatchObject({
      ...{ 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.call.id': 'c1' },
      ...{ 'gen_ai.tool.call.arguments': '{"at":"```"}', 'gen_ai.tool.call.result': hostile },
    });
    expect(tool?.status).toMatchObject({ code: 2 });
    expect(failed?.status).toEqual({ code: 2, message: 'Too busy.' });
  });

  it('has the same ids each time, and those of its parent and tree', async () => {
    expect(await spansOf(subject())).toEqual(await spansOf(subject()));
    const [parent] = await spansOf(subject());
    const under = subject({ parentGuid: 'run-guid' });
    const [child] = await spansOf({ ...under, run: { ...under.run, guid: 'child-guid' } });
    expect(child).toMatchObject({ traceId: parent?.traceId, parentSpanId: parent?.spanId });
  });
});

it('events are read page by page, up to the most that a file takes', async () => {
  const asked: unknown[] = [];
  const read = async (_: number, { afterSeq = 0, limit }: { afterSeq?: number; limit: number }) => {
    asked.push([afterSeq, limit]);
    return Array.from({ length: limit }, (_, n) => ({ seq: afterSeq + n + 1, createdAt: 0 }) as AgentEvent);
  };
  const seqs: number[] = [];
  for await (const one of eventPages(read, 7, 450)) seqs.push(one.seq);
  expect(seqs).toEqual(Array.from({ length: 450 }, (_, n) => n + 1));
  expect(asked).toEqual([
    [0, 200],
    [200, 200],
    [400, 50],
  ]);
});
