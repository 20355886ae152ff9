// Shows a shared run or chat to whoever has its token: that alone, with secrets redacted.
import type { Engine } from '../../../runtime/engine.ts';
import type { RunRecord } from '../../../runtime/records.ts';
import { environmentOf } from '../../../runtime/state/environment.ts';
import { hashSecret } from '../../auth/keys.ts';
import { implement } from '../../contract/operation.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { RunFiles } from '../../ports/run-files.ts';
import { publicShares } from './contract.ts';
import { holding, type ShareHolders } from './holds.ts';
import { createScrub } from './scrubbed.ts';
import { type SharedSources, type ShareItem, sharedChat, sharedRun, viewRun } from './shown-live.ts';

interface Deps extends SharedSources, ShareHolders {
  engine: Pick<Engine, 'events'>;
  files: RunFiles;
  clock: Clock;
}

const maxFileBytes = 1_048_576;

export const publicSharesService = implement(publicShares, (deps: Deps) => {
  const { files } = deps;

  const open = (tokenHash: string) => holding(deps, { tokenHash });
  /** @throws Fault NOT_FOUND, the same for links that never were, expired and revoked ones */
  const find = async (token: string) => {
    const share = await open(hashSecret(token));
    const run = share?.runId == null ? null : await deps.getRun(share.runId, share.tenantId);
    const chat =
      share?.chatSessionId == null ? null : await deps.chats.store.session(share.tenantId, share.chatSessionId);
    if (share && (run || chat)) return { share, run, chat };
    throw new Fault('NOT_FOUND', 'This link shows nothing: it has expired, was revoked, or never was one.', {
      hint: 'Ask who gave it to you for another one.',
    });
  };
  const workspaceOf = async (token: string) => {
    const { share, run } = await find(token);
    if (!share.includeFiles || !run)
      throw new Fault('NOT_FOUND', 'This link shows no files.', { hint: 'Ask who gave it to you for one with files.' });
    return { run, workspace: await files.workspace(run) };
  };

  return {
    read: async ({ body }) => {
      const { share, run } = await find(body.token);
      const scrub = createScrub(run ? secretsOf(run) : []);
      return {
        kind: run ? ('Run' as const) : ('Chat' as const),
        title: scrub.text(share.title),
        expiresAtUtc: share.expiresAt.toISOString(),
        includeFiles: share.includeFiles,
        run: run && viewRun(run, scrub),
      };
    },
    events: async ({ body, request }) => {
      const { share, run, chat } = await find(body.token);
      const { signal } = request;
      const scrub = createScrub(run ? secretsOf(run) : []);
      const items = run
        ? sharedRun(deps, run, { afterSeq: body.afterSeq, scrub, hasFiles: share.includeFiles, signal })
        : sharedChat(deps, chat as NonNullable<typeof chat>, { scrub, signal });
      return {
        kind: 'file' as const,
        mediaType: 'text/event-stream; charset=utf-8',
        body: framesOf(items, async () => (await open(share.tokenHash)) !== null),
        headers: { 'cache-control': 'no-cache, no-store, no-transform', 'x-accel-buffering': 'no' },
      };
    },
    files: async ({ body }) => (await (await workspaceOf(body.token)).workspace?.list('', true)) ?? [],
    file: async ({ body }) => {
      const { run, workspace } = await workspaceOf(body.token);
      if (!workspace)
        throw new Fault('NOT_FOUND', 'The run has no files.', { hint: 'Look again when it has made some.' });
      const file = await workspace.readText(body.path, maxFileBytes);
      return { ...file, text: file.text === null ? null : createScrub(secretsOf(run)).text(file.text) };
    },
  };
});

const secretsOf = ({ environmentJson }: RunRecord): string[] =>
  environmentJson === null ? [] : Object.values(environmentOf(environmentJson)).map(String);

const frame = (item: ShareItem): Buffer => {
  const data = JSON.stringify({ event: null, run: null, message: null, ...item });
  return Buffer.from(`event: ${item.type}\ndata: ${data}\n\n`);
};

/** The link is asked for before each item: one that is revoked shows nothing more, to open pages too. */
async function* framesOf(items: AsyncIterable<ShareItem>, holds: () => Promise<boolean>): AsyncGenerator<Buffer> {
  // Proxies and clients hear at once that it is open.
  yield Buffer.from(': open\n\n');
  for await (const item of items) {
    if (!(await holds())) {
      yield frame({ type: 'Closed' });
      return;
    }
    yield frame(item);
  }
  yield frame({ type: 'Ended' });
}
