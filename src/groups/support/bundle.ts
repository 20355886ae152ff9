// Gathers a bundle of diagnostics: what the caller may see of the server, redacted, as the files of a ZIP.
import { Readable } from 'node:stream';
import { ZipFile } from 'yazl';
import type { RunRecord } from '../../../runtime/records.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { LogFilter } from '../../logs/entry.ts';
import type { LogFinder } from '../../logs/finder.ts';
import type { SystemReadinessDto } from '../system/dto.ts';
import { toSystemLogDto } from '../system-logs/show.ts';
import type { SupportRequestDoc } from './record.ts';

export interface BundleDeps {
  /** Replaces secrets and personal data. */
  hide(text: string): string;
  clock: Clock;
  finder: LogFinder;
  logsOf(tenantId: number): number[];
  shownFrom(tenantId: number): Promise<number>;
  findRun(id: number, tenantId: number): Promise<RunRecord | null>;
  /** The first tenant, whose server this is. */
  operatorTenantId: number;
  about(): object;
  readiness(): Promise<SystemReadinessDto>;
  /** The settings that are in effect; of secrets, whether they are set. */
  settings(): object;
  /** Documents by collection. */
  counts(): Promise<object>;
  migrations(): Promise<object[]>;
  nodes(): Promise<object[]>;
  metrics(): Promise<string>;
}

/** Lines about the run and the request that are named, and the newest of all. */
const linesAbout = 1000;
const linesNewest = 3000;

type Files = [name: string, text: AsyncIterable<string> | Iterable<string>][];

/** What somebody may see of the server. */
export const sees = (deps: Pick<BundleDeps, 'operatorTenantId'>, { tenantId, permissions }: Caller) => ({
  logs: permissions.has('LogsRead'),
  server: permissions.has('SystemRead') && tenantId === deps.operatorTenantId,
});

/** The files of a bundle as they are made, one after the other; each text is redacted. */
export function bundle(deps: BundleDeps, caller: Caller, request: SupportRequestDoc): AsyncIterable<Uint8Array> {
  const { logs, server } = sees(deps, caller);
  const { runId, requestId } = request;
  const files: Files = [
    ['request.json', json(async () => aboutRequest(request, caller))],
    ['about.json', json(async () => ({ madeAtUtc: new Date(deps.clock.now()).toISOString(), ...deps.about() }))],
    ['health.json', json(deps.readiness)],
  ];
  if (runId !== null) files.push(['run.json', json(() => aboutRun(deps, caller, runId))]);
  if (logs && requestId !== null) files.push(['log-of-request.ndjson', lines(deps, caller, { requestId }, linesAbout)]);
  if (logs && runId !== null) files.push(['log-of-run.ndjson', lines(deps, caller, { runId }, linesAbout)]);
  if (logs) files.push(['log.ndjson', lines(deps, caller, {}, linesNewest)]);
  if (server) {
    files.push(['settings.json', json(async () => deps.settings())], ['counts.json', json(deps.counts)]);
    files.push(['migrations.json', json(deps.migrations)], ['nodes.json', json(deps.nodes)]);
    files.push(['metrics.txt', texts(async () => [await deps.metrics()])]);
  }
  return zipped(files, deps);
}

function zipped(files: Files, deps: Pick<BundleDeps, 'hide'>): AsyncIterable<Uint8Array> {
  const zip = new ZipFile();
  for (const [name, text] of files)
    zip.addReadStreamLazy(name, (take) => take(null, Readable.from(redacted(text, deps), { objectMode: false })));
  zip.end();
  return zip.outputStream as unknown as AsyncIterable<Uint8Array>;
}

async function* redacted(text: Files[number][1], { hide }: Pick<BundleDeps, 'hide'>): AsyncGenerator<string> {
  for await (const part of text) yield hide(part);
}

async function* texts(make: () => Promise<string[]>): AsyncGenerator<string> {
  yield* await make();
}

/** What cannot be found out is said; the rest of the bundle is there all the same. */
const json = (make: () => Promise<unknown>) =>
  texts(async () => {
    const found = await make().catch((error: unknown) => ({
      failed: error instanceof Error ? error.message : 'failed',
    }));
    return [`${JSON.stringify(found, null, 2)}\n`];
  });

/** Lines of the log, the newest first, each as JSON. */
async function* lines(
  { finder, logsOf, shownFrom }: BundleDeps,
  { tenantId }: Caller,
  about: LogFilter,
  most: number,
): AsyncGenerator<string> {
  let left = most;
  const filter = { ...about, from: await shownFrom(tenantId) };
  for await (const entry of finder.lines(logsOf(tenantId), filter, { order: 'newest' })) {
    yield `${JSON.stringify(toSystemLogDto(entry))}\n`;
    if (--left === 0) return;
  }
}

const aboutRequest = (request: SupportRequestDoc, caller: Caller) => ({
  reference: referenceOf(request._id),
  ...{ subject: request.subject, description: request.description, category: request.category },
  ...{ priority: request.priority, runId: request.runId, requestId: request.requestId },
  createdAtUtc: request.createdAt.toISOString(),
  tenantId: caller.tenantId,
  role: caller.role,
});

export const referenceOf = (id: number) => `SR-${id}`;

/** How a run stands; what it was told and what it said stays out. */
async function aboutRun({ findRun }: BundleDeps, { tenantId }: Caller, id: number): Promise<object> {
  const run = await findRun(id, tenantId);
  if (!run) return { runId: id, failed: 'there is no such run' };
  const texts = new Set(['goal', 'summary', 'deliverable', 'briefing', 'context', 'instructions', 'systemPrompt']);
  const plain = Object.entries(run).filter(
    ([name, value]) => !texts.has(name) && (typeof value !== 'object' || value === null) && !isLong(value),
  );
  return Object.fromEntries(plain);
}

const isLong = (value: unknown) => typeof value === 'string' && value.length > 200;
