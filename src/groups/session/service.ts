// Says who calls and what awaits them, and keeps what sessions leave to each other.
import type { Acting } from '../../auth/acting.ts';
import type { AuthCollections } from '../../auth/collections.ts';
import type { Caller } from '../../contract/caller.ts';
import { implement } from '../../contract/operation.ts';
import { toPage } from '../../contract/page.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { FindRun } from '../agent/runs/find-run.ts';
import { type OwnAddress, reachedAt, socketAt } from '../base-url.ts';
import type { Awaiting } from '../identities/awaiting.ts';
import { toIdentityDto } from '../identities/to-dto.ts';
import type { Inbox } from '../messages/inbox.ts';
import { toUserDto } from '../users/to-dto.ts';
import { session } from './contract.ts';
import type { Handoffs } from './handoffs.ts';

export interface SessionDeps extends OwnAddress {
  auth: AuthCollections;
  acting: Acting;
  awaiting: Awaiting;
  handoffs: Handoffs;
  inbox: Pick<Inbox, 'unread' | 'entries'>;
  findRun: FindRun;
  /** The organisation units that the caller is in. */
  membershipsOf: (caller: Caller) => Promise<{ orgUnitId: number }[]>;
  version: string;
  clock: Clock;
}

const nothingAwaits = { activeRunCount: 0, openTaskCount: 0, dueHintCount: 0, pendingEscalationCount: 0 };

export const sessionService = implement(session, (deps: SessionDeps) => {
  const { auth, acting, awaiting, handoffs, inbox, findRun } = deps;

  const requireIdentity = async (caller: Caller, wanted?: number): Promise<number> => {
    const id = wanted ?? caller.identityId;
    if (id === null)
      throw new Fault('VALIDATION_FAILED', 'You have no identity that work could be left for.', {
        hint: 'Name one that you may act as in identityId, or use the key of an identity.',
      });
    if (id !== caller.identityId) await acting.require(caller, id);
    return id;
  };

  /** What awaits the identity of the caller. */
  const awaits = async (caller: Caller) => {
    const { tenantId, identityId } = caller;
    if (identityId === null) return { ...nothingAwaits, unreadMessages: 0, pendingReplyCount: 0, pendingHandoffs: [] };
    const [open, unreadMessages, pendingReplyCount, pendingHandoffs] = await Promise.all([
      awaiting.of({ tenantId, identityId }, caller),
      inbox.unread(tenantId, identityId),
      inbox.entries(tenantId).countDocuments({ identityId, awaitsReply: true }),
      handoffs.waiting(tenantId, identityId),
    ]);
    return { ...open, unreadMessages, pendingReplyCount, pendingHandoffs };
  };

  return {
    get: async ({ caller, request }) => {
      const { tenantId, userId, identityId, keyId } = caller;
      const [user, identity, key, open, questions] = await Promise.all([
        userId === null ? null : auth.users.findOne({ _id: userId, tenantId }),
        identityId === null ? null : auth.identities.findOne({ _id: identityId, tenantId }),
        keyId === null ? null : auth.keys.findOne({ _id: keyId, tenantId }),
        awaits(caller),
        caller.permissions.has('EscalationsResolve') ? awaiting.openQuestions(caller) : null,
      ]);
      return {
        kind: caller.kind,
        sessionId: caller.sessionId,
        user: user && toUserDto(user),
        identity: identity && toIdentityDto(identity),
        keyId,
        keyName: key?.name ?? null,
        clientId: null,
        permissions: [...caller.permissions].sort(),
        scopes: key?.scopes ?? [],
        orgUnitIds: (await deps.membershipsOf(caller)).map(({ orgUnitId }) => orgUnitId),
        expiresAtUtc: caller.expiresAt === null ? null : new Date(caller.expiresAt).toISOString(),
        ...open,
        // Who may decide is waited for by all runs that ask.
        pendingEscalationCount: questions ?? open.pendingEscalationCount,
        realtimeUrl: `${socketAt(reachedAt(request, deps))}/api/ws`,
        serverVersion: deps.version,
        serverTimeUtc: new Date(deps.clock.now()).toISOString(),
      };
    },
    handoffs: async ({ caller, query: { identityId, ...query } }) => {
      const id = await requireIdentity(caller, identityId);
      const { items, totalCount } = await handoffs.page(caller, id, query);
      return toPage(items, totalCount, query);
    },
    leave: async ({ caller, body }) => {
      const from = await requireIdentity(caller);
      if (body.runId != null) await findRun(caller, body.runId);
      return handoffs.leave(caller, from, body);
    },
    claim: ({ caller, params, body }) => handoffs.claim(caller, params.id, body.notes ?? null),
  };
});
