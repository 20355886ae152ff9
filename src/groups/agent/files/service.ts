// Shows what a run has made; reads only, and only inside its workspace.
import type { RunRecord } from '../../../../runtime/records.ts';
import { hasEnded } from '../../../../runtime/state/run.ts';
import { implement } from '../../../contract/operation.ts';
import type { FileReply, StreamFrame } from '../../../contract/replies.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { RunFiles, RunOutput, RunWorkspace } from '../../../ports/run-files.ts';
import { defined } from '../../fields.ts';
import { aboutRun, type FindRun } from '../runs/find-run.ts';
import { agentRunFiles } from './contract.ts';
import type { DeliverableCheckDto } from './dto.ts';

export interface RunFilesDeps {
  files: RunFiles;
  findRun: FindRun;
  check(run: RunRecord): Promise<DeliverableCheckDto>;
}

export const agentRunFilesService = implement(agentRunFiles, ({ files, findRun, check }: RunFilesDeps) => {
  const ofRun = aboutRun(findRun);
  const workspaceOf = async (run: RunRecord): Promise<RunWorkspace> => {
    const workspace = await files.workspace(run);
    if (workspace) return workspace;
    throw new Fault('NOT_FOUND', `Run ${run.id} has no files.`, {
      hint: 'A run gets a workspace when it first uses a file or a command.',
    });
  };

  return {
    list: ofRun(async ({ run, query }) => {
      const workspace = await files.workspace(run);
      return workspace ? workspace.list(query.path ?? '', query.recursive ?? false) : [];
    }),
    read: ofRun(async ({ run, query }) => (await workspaceOf(run)).readText(query.path, query.maxBytes)),
    download: ofRun(async ({ run, query, request }) => {
      const workspace = await workspaceOf(run);
      const name = query.path.split('/').findLast((part) => part !== '') ?? `run-${run.id}`;
      const file = query.path === '' ? null : await workspace.info(query.path);
      const folder = file === null || file.isDirectory;
      if (folder && query.asZip === false)
        throw new Fault('VALIDATION_FAILED', 'A folder can be downloaded as a ZIP only.', { hint: 'Leave asZip out.' });
      if (folder || query.asZip)
        return {
          kind: 'file' as const,
          mediaType: 'application/zip',
          fileName: `${name}.zip`,
          body: workspace.zip(query.path),
        };
      // Before it is opened: what is not read would stay open.
      if (file.etag !== null && names(request.header('if-none-match'), file.etag))
        return unchanged(file.mimeType, file.etag);
      const isSame = request.header('if-range') === undefined || request.header('if-range') === file.etag;
      return download(workspace, query.path, name, isSame ? request.header('range') : undefined);
    }),
    deliverable: ofRun(({ run }) => check(run)),
    diff: ofRun(async ({ run, query }) => {
      const workspace = await workspaceOf(run);
      const [diff, headSha] = await Promise.all([workspace.diff(defined(query)), workspace.head()]);
      return { runId: run.id, baseSha: workspace.baseSha, headSha, branch: workspace.branch, ...diff };
    }),
    output: ofRun(async ({ run, query, request }) => {
      const output = await files.output(run.id);
      const from =
        query.tail === undefined
          ? startOf(output, query.lastEventId ?? request.lastEventId, query.sinceSeq)
          : Math.max(0, output.lastSeq - query.tail);
      return { kind: 'frames' as const, frames: frames(run.id, output, from, !hasEnded(run.status), request.signal) };
    }),
  };
});

/** Whether a header of ETags names this one, or any. */
const names = (header: string | undefined, etag: string): boolean =>
  header?.split(',').some((one) => ['*', etag, `W/${etag}`].includes(one.trim())) ?? false;

const unchanged = (mediaType: string | null, etag: string): FileReply => ({
  kind: 'file',
  mediaType: mediaType ?? 'application/octet-stream',
  status: 304,
  headers: { etag },
  body: '',
});

async function download(
  workspace: RunWorkspace,
  path: string,
  fileName: string,
  rangeHeader: string | undefined,
): Promise<FileReply> {
  const range = parseRange(rangeHeader);
  const { sizeBytes, mimeType, etag, range: sent, body } = await workspace.openBytes(path, range);
  const partial: Record<string, string> = range
    ? { 'content-range': `bytes ${sent.start}-${sent.end}/${sizeBytes}` }
    : {};
  return {
    kind: 'file',
    mediaType: mimeType,
    fileName,
    status: range ? 206 : 200,
    headers: { etag, 'accept-ranges': 'bytes', ...partial },
    body,
  };
}

/** A single range of RFC 9110; anything else is answered with the whole file, as that RFC allows. */
function parseRange(header: string | undefined): { start?: number; end?: number } | null {
  const [, start = '', end = ''] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (start === '' && end === '') return null;
  if (start !== '' && end !== '' && Number(end) < Number(start)) return null;
  return { ...(start === '' ? {} : { start: Number(start) }), ...(end === '' ? {} : { end: Number(end) }) };
}

/** A cursor is `<epoch>.<seq>`; one of another epoch starts at the beginning, which the first frame shows. */
function startOf(output: RunOutput, cursor: string | null, sinceSeq: number | undefined): number {
  if (cursor === null) return sinceSeq ?? 0;
  const [, epoch, seq] = /^(.+)\.(\d+)$/.exec(cursor) ?? [];
  if (epoch === undefined || seq === undefined)
    throw new Fault('INVALID_CURSOR', 'This cursor is not one of a sandbox stream.', {
      hint: 'Use the id of the last event that you received, or sinceSeq.',
    });
  return epoch === output.epoch ? Number(seq) : 0;
}

async function* frames(
  runId: number,
  output: RunOutput,
  from: number,
  live: boolean,
  signal: AbortSignal,
): AsyncGenerator<StreamFrame> {
  let last = from;
  for await (const item of output.follow(from, live, signal)) {
    if (item.type === 'gap') {
      const data = { topic: `run:${runId}`, requestedSeq: last, oldestSeq: item.firstSeq, latestSeq: output.lastSeq };
      yield { event: 'stream.gap', data: JSON.stringify(data) };
      continue;
    }
    last = item.chunk.seq;
    yield { id: `${output.epoch}.${last}`, event: 'chunk', data: JSON.stringify({ runId, ...item.chunk }) };
  }
}
