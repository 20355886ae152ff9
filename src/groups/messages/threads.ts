// Threads: the conversation that a message belongs to, one for each run.
import { randomUUID } from 'node:crypto';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Db } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { Ids } from '../../ports/ids.ts';
import { type PerTenant, perTenant } from '../../ports/tenanted.ts';
import { type MemberDoc, type MessageDoc, memberSpec, type ThreadDoc, threadSpec } from './documents.ts';

export interface ThreadRequest {
  tenantId: number;
  senderId: number;
  recipientIds: readonly number[];
  threadId?: number | null;
  threadTitle?: string | null;
  runId?: number | null;
  projectId?: number | null;
}

export interface Threads {
  of: PerTenant<ThreadDoc>;
  /** Threads as their participants have them. */
  members: PerTenant<MemberDoc>;
  /** The thread named, the run's thread, or a new one. @throws Fault NOT_FOUND */
  open(request: ThreadRequest): Promise<ThreadDoc>;
  /** Notes that a message was said in its thread; may be repeated. */
  note(message: MessageDoc): Promise<void>;
}

export function createThreads({ db, ids, clock }: { db: Db; ids: Ids; clock: Clock }): Threads {
  const threads = perTenant(db.collection(threadSpec));
  const members = perTenant(db.collection(memberSpec));

  const create = async (request: ThreadRequest): Promise<ThreadDoc> => {
    const now = new Date(clock.now());
    const thread: ThreadDoc = {
      _id: await ids.next('message_threads'),
      guid: randomUUID(),
      tenantId: request.tenantId,
      title: request.threadTitle ?? null,
      runId: request.runId ?? null,
      projectId: request.projectId ?? null,
      participantIds: [...new Set([request.senderId, ...request.recipientIds])],
      createdAt: now,
      lastMessageAt: now,
    };
    await threads(request.tenantId).insertOne(thread);
    return thread;
  };

  return {
    of: threads,
    members,
    async open(request) {
      const of = threads(request.tenantId);
      if (request.threadId != null) {
        const named = await of.findOne({ _id: request.threadId });
        // Who takes no part in a thread does not know of it.
        if (named?.participantIds.includes(request.senderId)) return named;
        throw new Fault('NOT_FOUND', `There is no thread ${request.threadId}.`, {
          hint: 'Leave threadId out to begin a new one.',
        });
      }
      if (request.runId == null) return create(request);
      const ofRun = { runId: request.runId };
      const existing = await of.findOne(ofRun);
      if (existing) return existing;
      try {
        return await create(request);
      } catch (error) {
        const winner = isDuplicate(error) ? await of.findOne(ofRun) : null;
        if (winner) return winner;
        throw error;
      }
    },
    async note({ tenantId, threadId, senderId, recipients, createdAt }) {
      const those = [senderId, ...recipients.filter(({ refused }) => !refused).map((one) => one.identityId)];
      const participantIds = { $each: those };
      await threads(tenantId).updateOne(
        { _id: threadId },
        { $max: { lastMessageAt: createdAt }, $addToSet: { participantIds } },
      );
      const thread = await threads(tenantId).findOne({ _id: threadId });
      if (!thread) return;
      const $setOnInsert = { tenantId, threadId, projectId: thread.projectId, createdAt: thread.createdAt };
      for (const identityId of new Set(those))
        await members(tenantId).updateOne(
          { _id: `${threadId}:${identityId}` },
          {
            $max: { lastMessageAt: createdAt },
            $set: { archived: false },
            $setOnInsert: { ...$setOnInsert, identityId },
          },
          { upsert: true },
        );
    },
  };
}
