// A run as a trace in OTLP/JSON, with the names of the GenAI semantic conventions.
import { createHash } from 'node:crypto';
import type { EventView } from '../../../../../runtime/views/run.ts';
import { genai } from '../../../../telemetry/genai.ts';
import { argumentsOf } from '../run-parts.ts';
import { toolEnds } from './calls.ts';
import type { ExportedRun, ExportSubject } from './subject.ts';

type Value = string | number | null | undefined;

const internal = 1;
const client = 3;
const failed = 2;

const hex = (text: string, bytes: number) =>
  createHash('sha256')
    .update(text)
    .digest('hex')
    .slice(0, bytes * 2);
/** Runs of one tree are one trace, whichever of them are exported. */
const traceIdOf = (rootGuid: string) => hex(`trace ${rootGuid}`, 16);
const spanIdOf = (guid: string) => hex(`span ${guid}`, 8);
const nanos = (ms: number) => `${Math.max(0, Math.round(ms))}000000`;

function anyValue(key: string, value: string | number) {
  if (typeof value === 'string') return { stringValue: value };
  // The JSON of Protocol Buffers has 64-bit integers as text.
  const isWhole = Number.isSafeInteger(value) && !key.endsWith('_usd');
  return isWhole ? { intValue: String(value) } : { doubleValue: value };
}

const attributes = (values: Record<string, Value>) =>
  Object.entries(values).flatMap(([key, value]) => (value == null ? [] : [{ key, value: anyValue(key, value) }]));

interface Span {
  guid: string;
  parentGuid: string | null;
  name: string;
  kind: number;
  start: number;
  end: number;
  about: Record<string, Value>;
  failure?: string | null;
}

const spanJson = (traceId: string, { guid, parentGuid, name, kind, start, end, about, failure }: Span) =>
  JSON.stringify({
    traceId,
    spanId: spanIdOf(guid),
    ...(parentGuid === null ? {} : { parentSpanId: spanIdOf(parentGuid) }),
    name,
    kind,
    startTimeUnixNano: nanos(Math.min(start, end)),
    endTimeUnixNano: nanos(end),
    attributes: attributes(about),
    status: failure == null ? {} : { code: failed, message: failure },
  });

export async function* otlpExport(subject: ExportSubject): AsyncGenerator<string> {
  const { run, events } = subject;
  const traceId = traceIdOf(subject.rootGuid);
  const resource = { attributes: attributes({ 'service.name': 'rivulet' }) };
  const scope = JSON.stringify({ name: 'rivulet' });
  yield `{"resourceSpans":[{"resource":${JSON.stringify(resource)},"scopeSpans":[{"scope":${scope},"spans":[\n`;
  yield spanJson(traceId, runSpan(subject));
  const next = spanReader(run);
  for await (const event of events) {
    const span = next(event);
    if (span) yield `,\n${spanJson(traceId, span)}`;
  }
  yield '\n]}]}]}\n';
}

function runSpan({ run, parentGuid, leftOut, now }: ExportSubject): Span {
  const start = Date.parse(run.startedAtUtc ?? run.createdAtUtc);
  return {
    guid: run.guid,
    parentGuid,
    name: `invoke_agent ${run.role}`,
    kind: internal,
    start,
    // A run at work has no end yet: its span reaches up to now.
    end: run.completedAtUtc === null ? now : Date.parse(run.completedAtUtc),
    about: {
      [genai.operation]: 'invoke_agent',
      [genai.agentName]: run.role,
      [genai.agentId]: String(run.identityId),
      [genai.conversation]: `run:${run.id}`,
      [genai.requestModel]: run.modelId === null ? null : modelOf(run.modelId),
      [genai.inputTokens]: run.promptTokens,
      [genai.outputTokens]: run.completionTokens,
      'rivulet.run.id': run.id,
      'rivulet.run.status': run.status,
      'rivulet.run.goal': run.goal,
      'rivulet.run.cost_usd': run.costUsd,
      'rivulet.run.events_left_out': leftOut || null,
    },
    failure: run.status === 'Failed' || run.status === 'TimedOut' ? (run.failureReason ?? run.status) : null,
  };
}

/** Most calls of tools that wait for their end while events are read. */
const mostOpen = 1000;

/** Makes spans of events in order: each when the call that it is about has ended. */
function spanReader(run: ExportedRun): (event: EventView) => Span | null {
  let asked: EventView | null = null;
  const open = new Map<string, EventView>();
  const base = (event: EventView, from: EventView | null | undefined) => {
    const end = Date.parse(event.createdAtUtc);
    const start = event.durationMs === null ? Date.parse((from ?? event).createdAtUtc) : end - event.durationMs;
    return { guid: event.guid, parentGuid: run.guid, start, end };
  };
  const call = (event: EventView): Span => {
    const modelId = event.modelId ?? asked?.modelId ?? 'unknown';
    const span = base(event, asked);
    const isFailure = event.type === 'ModelCallFailed';
    const requested = modelOf(asked?.modelId ?? modelId);
    asked = null;
    return {
      ...span,
      name: `chat ${requested}`,
      kind: client,
      about: {
        [genai.operation]: 'chat',
        [genai.provider]: modelId.split(':', 1)[0] || 'unknown',
        [genai.requestModel]: requested,
        [genai.responseModel]: isFailure ? null : modelOf(modelId),
        [genai.conversation]: `run:${run.id}`,
        [genai.inputTokens]: event.promptTokens,
        [genai.outputTokens]: event.completionTokens,
        'rivulet.answer': isFailure ? null : event.message,
        'rivulet.cost_usd': event.costUsd,
      },
      failure: isFailure ? (event.message ?? event.title) : null,
    };
  };
  const tool = (event: EventView): Span => {
    const id = event.toolCallId ?? '';
    const began = open.get(id);
    open.delete(id);
    const name = event.toolName ?? event.title;
    return {
      ...base(event, began),
      name: `execute_tool ${name}`,
      kind: internal,
      about: {
        [genai.operation]: 'execute_tool',
        [genai.toolName]: name,
        [genai.toolCallId]: event.toolCallId,
        'gen_ai.tool.call.arguments': began && argumentsOf(began),
        'gen_ai.tool.call.result': event.message,
        'rivulet.run.id': run.id,
      },
      failure: event.type === 'ToolCallCompleted' ? null : (event.message ?? event.type).slice(0, 200),
    };
  };
  return (event) => {
    if (event.type === 'ModelCallStarted') asked = event;
    if (event.type === 'ToolCallStarted' && event.toolCallId !== null && open.size < mostOpen)
      open.set(event.toolCallId, event);
    if (event.type === 'ModelCallCompleted' || event.type === 'ModelCallFailed') return call(event);
    return toolEnds.has(event.type) ? tool(event) : null;
  };
}

/** A model as its provider calls it. */
const modelOf = (modelId: string): string => modelId.slice(modelId.indexOf(':') + 1);
