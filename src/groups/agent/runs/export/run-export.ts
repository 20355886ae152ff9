// A run as a file to take along: its record and its events, read page by page while the file is written.
import type { EventQuery, RunStore } from '../../../../../runtime/ports.ts';
import type { AgentEvent, RunRecord } from '../../../../../runtime/records.ts';
import { debateView } from '../../../../../runtime/views/council.ts';
import { type EventView, eventView } from '../../../../../runtime/views/run.ts';
import { jsonExport } from './json.ts';
import { markdownExport } from './markdown.ts';
import { otlpExport } from './otlp.ts';
import type { ExportedRun, ExportSubject } from './subject.ts';

export type RunExportFormat = 'Json' | 'Markdown' | 'Otlp';

interface Format {
  mediaType: string;
  ending: string;
  write(subject: ExportSubject): AsyncIterable<string>;
}

const formats: Record<RunExportFormat, Format> = {
  Json: { mediaType: 'application/json', ending: 'json', write: jsonExport },
  Markdown: { mediaType: 'text/markdown; charset=utf-8', ending: 'md', write: markdownExport },
  Otlp: { mediaType: 'application/json', ending: 'otlp.json', write: otlpExport },
};

/** Most events of one file. */
const mostExported = 20_000;
const pageSize = 200;

type ReadEvents = (runId: number, query: EventQuery) => Promise<AgentEvent[]>;

/** The first `most` events of a run, one page in memory at a time. */
export async function* eventPages(read: ReadEvents, runId: number, most: number): AsyncGenerator<EventView> {
  for (let afterSeq = 0, left = most; left > 0; ) {
    const found = await read(runId, { afterSeq, limit: Math.min(pageSize, left) });
    yield* found.map(eventView);
    left -= found.length;
    const last = found.at(-1);
    if (!last || found.length < pageSize) return;
    afterSeq = last.seq;
  }
}

interface Deps {
  events: ReadEvents;
  runs: Pick<RunStore['runs'], 'many'>;
  councils: Pick<RunStore['councils'], 'ofRun'>;
  now: number;
}

export async function subjectOf(run: RunRecord, shown: ExportedRun, deps: Deps): Promise<ExportSubject> {
  const above = run.parentRunId === null ? [] : await deps.runs.many([run.rootRunId, run.parentRunId]);
  const guidOf = (id: number | null) => above.find((one) => one.id === id)?.guid ?? null;
  const councils = await deps.councils.ofRun(run.id);
  return {
    run: shown,
    councils: councils.sort((a, b) => a.createdAt - b.createdAt || a.id - b.id).map(debateView),
    events: eventPages(deps.events, run.id, mostExported),
    leftOut: Math.max(0, shown.eventCount - mostExported),
    rootGuid: guidOf(run.rootRunId) ?? run.guid,
    parentGuid: guidOf(run.parentRunId),
    now: deps.now,
  };
}

export function runFile(name: RunExportFormat, subject: ExportSubject) {
  const { mediaType, ending, write } = formats[name];
  return {
    kind: 'file' as const,
    mediaType,
    fileName: `run-${subject.run.id}.${ending}`,
    body: bytesOf(write(subject)),
  };
}

async function* bytesOf(texts: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  for await (const text of texts) yield encoder.encode(text);
}
