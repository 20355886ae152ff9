// Details of runs: how they are read, and by which writes those that are kept are known to be right.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { RunRecord } from '../../runtime/records.ts';
import { AgentRunDetailDto } from '../groups/agent/dto.ts';
import { feedbackSpec } from '../groups/agent/feedback/feedback.ts';
import { noteSpec } from '../groups/agent/notes/notes.ts';
import { createRunArchive, type DetailFacts } from '../groups/agent/runs/archive.ts';
import { readDetail } from '../groups/agent/runs/detail.ts';
import { createDetailParts } from '../groups/agent/runs/detail-parts.ts';
import type { DetailCounts } from '../groups/agent/runs/detail-texts.ts';
import { chatSessionSpec } from '../groups/chat/documents.ts';
import { createRunChats } from '../groups/chat/run-chats.ts';
import { entrySpec, messageSpec } from '../groups/messages/documents.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import type { Db, KeptSpec, KeptTexts } from '../ports/db.ts';
import { checkpoints, escalations, eventPacks, events, runs, trees } from '../stores/runs/collections.ts';
import { version } from '../version.ts';
import type { OpenChat } from './chat.ts';
import type { openHearing } from './hearing.ts';
import type { OpenRuntime } from './runtime.ts';
import type { Storage } from './storage.ts';

interface Deps {
  storage: Pick<Storage, 'db' | 'ids' | 'runs'>;
  runtime: Pick<OpenRuntime, 'engine' | 'notes' | 'feedback' | 'inbox'>;
  chats: OpenChat;
  hearing: Pick<ReturnType<typeof openHearing>, 'watch'>;
  clock: Clock;
  log: Logger;
}

export function openRunDetails({ storage, runtime, chats, hearing, clock, log }: Deps) {
  const { db, ids, runs: store } = storage;
  const { engine } = runtime;
  const detail = createDetailParts({
    ...{ ...runtime, chats: createRunChats({ ...chats, ids, clock }) },
    escalations: store.escalations,
  });
  const read = (run: RunRecord) => readDetail(run, { engine, store, detail, ...(db.gather && { gather: db.gather }) });
  const { viewVersion } = engine;
  const archive = createRunArchive({ store, viewVersion, read, kept: keptDetails(db), clock, log });
  hearing.watch(archive.see);
  return { read, counts: detailCounts(db), archive, close: archive.close };
}
export type OpenRunDetails = ReturnType<typeof openRunDetails>;

/** Documents of a run beside itself, its tree and its events, which come with a change of the run. */
const besides = [
  { collection: runs, field: 'parentRunId' },
  { collection: checkpoints, field: 'runId' },
  { collection: escalations, field: 'runId' },
  { collection: noteSpec, field: 'runId' },
  { collection: feedbackSpec, field: 'runId' },
  { collection: messageSpec, field: 'runId' },
  { collection: chatSessionSpec, field: 'aboutRunId' },
] as const;

/** Counts of the writes that a detail may show. Null where the store does not count them: others write to it, too. */
export const detailCounts = ({ changes }: Pick<Db, 'changes'>): DetailCounts | null =>
  changes
    ? {
        byRun: [
          changes(events, 'runId'),
          changes(eventPacks, 'runId'),
          ...besides.map(({ collection, field }) => changes(collection as typeof runs, field as 'parentRunId')),
        ],
        mailboxes: changes(entrySpec, 'tenantId'),
      }
    : null;

/** Details of runs at rest, in the store; their group is the tree. Null where others write to the store, too. */
export const keptDetails = (db: Pick<Db, 'keptTexts'>): KeptTexts<DetailFacts> | null =>
  db.keptTexts?.<DetailFacts>(spec()) ?? null;

const spec = (): KeptSpec => ({
  name: 'run_details',
  format: formatOf(AgentRunDetailDto),
  madeOf: [
    { collection: runs, field: '_id', is: 'id' },
    { collection: trees, field: '_id', is: 'group' },
    ...besides.map((one) => ({ ...one, is: 'id' as const })),
  ],
});

/** Differs where a version of the program shows something else. */
const formatOf = (shown: z.ZodType) =>
  createHash('sha256')
    .update(version + JSON.stringify(z.toJSONSchema(shown, { unrepresentable: 'any', io: 'output' })))
    .digest('base64url');
