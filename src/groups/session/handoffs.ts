// Work that one session leaves to the next: claimed exactly once, and of no use to anybody after its time.

import type { Acting } from '../../auth/acting.ts';
import type { IdentityDoc } from '../../auth/documents.ts';
import { namedIdentity } from '../../auth/named-identity.ts';
import type { Caller } from '../../contract/caller.ts';
import type { HandoffDirection, HandoffStatus } from '../../contract/enums.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { noteWrite } from '../../ports/audit.ts';
import type { Bonds } from '../../ports/bonds.ts';
import type { Db, Filter } from '../../ports/db.ts';
import type { Ids } from '../../ports/ids.ts';
import { createKeeper } from '../../ports/keeper.ts';
import { onceMark } from '../../ports/once.ts';
import { shown } from '../../ports/shown.ts';
import { type Publisher, personalTopic } from '../../ports/stream.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import { verdictOf } from '../messages/policy.ts';
import { SessionHandoffDto } from './dto.ts';
import { type HandoffDoc, handoffRecord } from './record.ts';

interface Deps {
  db: Db;
  ids: Ids;
  clock: Clock;
  publisher: Publisher;
  identities: PerTenant<IdentityDoc>;
  acting: Acting;
  bonds: Bonds;
}

export type Handoffs = ReturnType<typeof createHandoffs>;

/** Open ones that a session is shown at its start. */
const offered = 20;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over the same collections, which call each other.
export function createHandoffs({ publisher, identities, acting, bonds, ...deps }: Deps) {
  const { clock } = deps;
  const keeper = createKeeper(handoffRecord, deps);

  const statusOf = ({ claimed, expiresAt }: HandoffDoc): HandoffStatus =>
    claimed ? 'Claimed' : expiresAt !== null && expiresAt.getTime() <= clock.now() ? 'Expired' : 'Open';
  const show = (one: HandoffDoc): SessionHandoffDto => shown(SessionHandoffDto, one, { status: statusOf(one) });

  /** Open, claimed or expired, as a filter at this moment. */
  const having = (status: HandoffStatus): Filter<HandoffDoc> => {
    const now = new Date(clock.now());
    if (status === 'Claimed') return { claimed: true };
    if (status === 'Expired') return { claimed: false, expiresAt: { $lte: now } };
    return { claimed: false, $or: [{ expiresAt: null }, { expiresAt: { $gt: now } }] };
  };

  const tell = async (type: 'handoff.created' | 'handoff.claimed', one: HandoffDoc) => {
    const ids = [...new Set([one.forIdentityId, one.fromIdentityId])];
    const people = await identities(one.tenantId)
      .find({ _id: { $in: ids } })
      .toArray();
    const topics = people.flatMap(({ _id, userId }) => [
      `identity:${_id}`,
      personalTopic('me', { identityId: _id }),
      personalTopic('me', { userId }),
    ]);
    await publisher.publish({ tenantId: one.tenantId, topics: [...new Set(topics)], type, data: show(one) });
  };

  return {
    show,
    /** Handoffs that await an identity, newest first. */
    waiting: async (tenantId: number, identityId: number): Promise<SessionHandoffDto[]> => {
      const filter = { forIdentityId: identityId, ...having('Open') } as Filter<HandoffDoc>;
      const open = keeper.of(tenantId).find(filter, { sort: { createdAt: -1 }, limit: offered });
      return (await open.toArray()).map(show);
    },
    async page(caller: Caller, identityId: number, query: HandoffsQuery) {
      const { direction = 'All', status, ...rest } = query;
      const incoming = { forIdentityId: identityId };
      const outgoing = { fromIdentityId: identityId };
      const whose = { Incoming: incoming, Outgoing: outgoing, All: { $or: [incoming, outgoing] } }[direction];
      const within = { $and: [whose, ...(status === undefined ? [] : [having(status)])] } as Filter<HandoffDoc>;
      const { items, totalCount } = await keeper.page(caller, rest, { within });
      return { items: items.map(show), totalCount };
    },
    async leave(caller: Caller, from: number, body: Left): Promise<SessionHandoffDto> {
      if (body.expiresAtUtc != null && Date.parse(body.expiresAtUtc) <= clock.now())
        throw new Fault('VALIDATION_FAILED', 'expiresAtUtc lies in the past.', { hint: 'Give a later time, or none.' });
      const toIdentityId = body.toIdentityId ?? null;
      const sender = await namedIdentity(identities, caller, from);
      const recipient = toIdentityId === null ? null : await namedIdentity(identities, caller, toIdentityId);
      // What is left for somebody reaches their runs, as messages do.
      const refused = recipient && verdictOf(sender, recipient, 'Normal');
      if (refused)
        throw new Fault('MESSAGING_BLOCKED', refused, {
          hint: 'Leave it for another identity, or leave toIdentityId out.',
        });
      const one = await keeper.insert(caller, {
        fromIdentityId: from,
        fromIdentityName: sender.displayName,
        toIdentityId,
        toIdentityName: recipient?.displayName ?? null,
        forIdentityId: toIdentityId ?? from,
        projectId: body.projectId ?? null,
        runId: body.runId ?? null,
        chatSessionId: body.chatSessionId ?? null,
        title: body.title,
        summary: body.summary,
        openQuestions: body.openQuestions ?? [],
        nextSteps: body.nextSteps ?? [],
        memoryIds: body.memoryIds ?? [],
        taskIds: body.taskIds ?? [],
        filesTouched: body.filesTouched ?? [],
        claimed: false,
        claimedByIdentityId: null,
        claimedByName: null,
        claimNotes: null,
        claimedAt: null,
        expiresAt: body.expiresAtUtc == null ? null : new Date(body.expiresAtUtc),
      });
      await tell('handoff.created', one);
      return show(one);
    },
    /** @throws Fault NOT_FOUND for one that is not the caller's; ALREADY_CLAIMED; GONE after its time */
    async claim(caller: Caller, id: number, notes: string | null): Promise<SessionHandoffDto> {
      const one = await keeper.find(caller, id);
      const mine = one && (await acting.may(caller, one.forIdentityId));
      if (!mine) throw missing(id);
      const now = new Date(clock.now());
      const filter = { _id: id, ...having('Open') } as Filter<HandoffDoc>;
      const by = caller.identityId ?? one.forIdentityId;
      const $set = {
        claimed: true,
        claimedByIdentityId: by,
        claimedByName: caller.name,
        claimNotes: notes,
        claimedAt: now,
        claimMark: onceMark(),
      };
      const claimed = await keeper.of(caller.tenantId).findOneAndUpdate(filter, { $set }, { returnDocument: 'after' });
      if (!claimed) return refuse(caller, id);
      noteWrite(caller, { kind: 'hand-off', how: 'changed', doc: claimed, before: one });
      const { tenantId, fromIdentityId: from, title, runId } = claimed;
      const about = { tenantId, kind: 'Handoff' as const, summary: title, runId, at: now };
      await bonds.note({ ...about, from, to: by, key: `handoff:${id}:${from}:${by}` });
      await bonds.note({ ...about, from: by, to: from, key: `handoff:${id}:${by}:${from}` });
      await tell('handoff.claimed', claimed);
      return show(claimed);
    },
  };

  /** Why a hand-off could not be claimed; a request that was repeated gets what it claimed itself. */
  async function refuse(caller: Caller, id: number): Promise<SessionHandoffDto> {
    const one = await keeper.get(caller, id);
    const mark = onceMark();
    if (one.claimed && mark !== null && one.claimMark === mark) return show(one);
    if (one.claimed)
      throw new Fault('ALREADY_CLAIMED', `${one.claimedByName ?? 'Somebody'} has taken this hand-off over.`, {
        hint: 'See what else waits with GET /api/session/handoffs?status=Open.',
      });
    throw new Fault('GONE', 'The time of this hand-off is over.', {
      hint: 'See what else waits with GET /api/session/handoffs?status=Open.',
    });
  }
}

interface HandoffsQuery {
  page: number;
  pageSize: number;
  sort?: string | undefined;
  projectId?: number | undefined;
  status?: HandoffStatus | undefined;
  direction?: HandoffDirection | undefined;
}

interface Left {
  title: string;
  summary: string;
  toIdentityId?: number | null | undefined;
  projectId?: number | null | undefined;
  runId?: number | null | undefined;
  chatSessionId?: number | null | undefined;
  openQuestions?: string[] | null | undefined;
  nextSteps?: string[] | null | undefined;
  memoryIds?: number[] | null | undefined;
  taskIds?: number[] | null | undefined;
  filesTouched?: string[] | null | undefined;
  expiresAtUtc?: string | null | undefined;
}

const missing = (id: number) =>
  new Fault('NOT_FOUND', `There is no hand-off ${id}.`, { hint: 'List them with GET /api/session/handoffs.' });
