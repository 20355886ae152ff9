// What a link shows, as it was and as it comes to be: events of one run, or messages of one chat, each once.
import { branchOf } from '../../../runtime/chat/branch.ts';
import type { MessageRecord, SessionRecord } from '../../../runtime/chat/records.ts';
import type { Engine } from '../../../runtime/engine.ts';
import type { AgentEvent, RunRecord } from '../../../runtime/records.ts';
import { hasEnded } from '../../../runtime/state/run.ts';
import { eventView } from '../../../runtime/views/run.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Follower } from '../../ports/stream.ts';
import type { ChatDocuments } from '../chat/documents.ts';
import type { SharedEventDto, SharedItemDto, SharedMessageDto, SharedRunDto } from './dto.ts';
import type { Scrub } from './scrubbed.ts';

export interface SharedSources {
  getRun(id: number, tenantId: number): Promise<RunRecord | null>;
  engine: Pick<Engine, 'events'>;
  chats: Pick<ChatDocuments, 'store'>;
  follower: Follower;
  clock: Clock;
}

export type ShareItem = Pick<SharedItemDto, 'type'> & Partial<SharedItemDto>;

const pageSize = 500;
const iso = (at: number | null) => (at === null ? null : new Date(at).toISOString());

export const viewRun = (run: RunRecord, { text, maybe }: Scrub): SharedRunDto => ({
  goal: text(run.goal),
  role: run.role,
  modelId: run.modelId,
  status: run.status,
  failureReason: maybe(run.failureReason),
  progressSummary: maybe(run.progressSummary),
  iterationsUsed: run.iterationsUsed,
  tokensUsed: run.tokensUsed,
  costUsd: run.costUsd,
  createdAtUtc: iso(run.createdAt) as string,
  startedAtUtc: iso(run.startedAt),
  completedAtUtc: iso(run.completedAt),
});

function viewEvent(event: AgentEvent, { text, maybe }: Scrub, hasFiles: boolean): SharedEventDto {
  const { id: _, guid: _guid, runId: _run, rootRunId: _root, parentRunId: _parent, ...rest } = eventView(event);
  const payloadJson = hasFiles || event.type !== 'FileChanged' ? rest.payloadJson : withoutTexts(rest.payloadJson);
  return { ...rest, title: text(rest.title), message: maybe(rest.message), payloadJson: maybe(payloadJson) };
}

/** Files that commands changed, by name alone: nobody chose to show what is in them. */
function withoutTexts(json: string | null): string | null {
  const { files, ...payload } = JSON.parse(json ?? '{}') as { files?: { text?: string }[] };
  return files ? JSON.stringify({ ...payload, files: files.map(({ text: _, ...file }) => file) }) : json;
}

interface How {
  scrub: Scrub;
  signal: AbortSignal;
}

/** Events of a run after a number, from the store; its topic says only that there are more. */
export async function* sharedRun(
  { getRun, engine, follower, clock }: SharedSources,
  { id, tenantId }: RunRecord,
  { afterSeq, scrub, hasFiles, signal }: How & { afterSeq: number; hasFiles: boolean },
): AsyncGenerator<ShareItem> {
  let told = afterSeq;
  async function* rest(): AsyncGenerator<ShareItem> {
    for (;;) {
      const events = await engine.events(id, { afterSeq: told, limit: pageSize });
      for (const event of events) {
        told = event.seq;
        yield { type: 'Event', event: viewEvent(event, scrub, hasFiles) };
      }
      if (events.length < pageSize) return;
    }
  }
  // What happens while the store is read is told again by the topic.
  const since = clock.now();
  const run = await getRun(id, tenantId);
  yield* rest();
  if (run) yield { type: 'Run', run: viewRun(run, scrub) };
  if (!run || hasEnded(run.status)) return;
  const types = ['run.event', 'run.status', 'run.ended', 'run.deleted', 'stream.gap'];
  for await (const { type } of follower.follow({
    tenantId,
    topic: `run:${id}`,
    lastEventId: null,
    since,
    types,
    signal,
  })) {
    yield* rest();
    if (type === 'run.event' || type === 'stream.gap') continue;
    const now = await getRun(id, tenantId);
    if (now) yield { type: 'Run', run: viewRun(now, scrub) };
    if (!now || hasEnded(now.status)) return;
  }
}

/** The messages of the branch that a chat shows, and those that come; again where they have changed. */
export async function* sharedChat(
  { chats, follower, clock }: SharedSources,
  { id, tenantId }: SessionRecord,
  { scrub, signal }: How,
): AsyncGenerator<ShareItem> {
  const told = new Map<number, string>();
  async function* news(): AsyncGenerator<ShareItem> {
    const session = await chats.store.session(tenantId, id);
    const all = session ? await chats.store.messages(tenantId, id) : [];
    for (const record of branchOf(all, session?.activeMessageId ?? null)) {
      if (!isShown(record)) continue;
      const message = viewMessage(record, scrub);
      const text = JSON.stringify(message);
      if (told.get(record.id) === text) continue;
      told.set(record.id, text);
      yield { type: 'Message', message };
    }
  }
  const since = clock.now();
  yield* news();
  const types = ['chat.stream', 'chat.message', 'stream.gap'];
  for await (const { data } of follower.follow({
    tenantId,
    topic: `chat:${id}`,
    lastEventId: null,
    since,
    types,
    signal,
  })) {
    if (!isDelta(data)) yield* news();
    if (!(await chats.store.session(tenantId, id))) return;
  }
}

const isDelta = (data: unknown) => /Delta$/.test(String((data as { type?: unknown }).type));

const isShown = ({ role, hidden, state }: MessageRecord) =>
  (role === 'user' || role === 'assistant') && !hidden && state !== 'Streaming';

const viewMessage = (message: MessageRecord, { text }: Scrub): SharedMessageDto => ({
  id: message.id,
  role: message.role,
  state: message.state,
  content: text(message.content),
  modelId: message.modelId,
  tools: message.steps.flatMap(({ toolCalls }) => toolCalls.map(({ name }) => name)),
  attachments: message.attachments.map(({ name }) => text(name ?? 'attachment')),
  createdAtUtc: iso(message.createdAt) as string,
});
