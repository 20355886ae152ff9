// Lists the sessions of a person, and ends them.
import type { AuthCollections } from '../../auth/collections.ts';
import type { SessionDoc } from '../../auth/documents.ts';
import type { Sessions } from '../../auth/sessions.ts';
import type { Caller } from '../../contract/caller.ts';
import type { Handlers } from '../../contract/operation.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { shown } from '../../ports/shown.ts';
import type { auth } from './contract.ts';
import { AuthSessionDto } from './dto.ts';

export interface SessionListDeps {
  collections: AuthCollections;
  sessions: Sessions;
  clock: Clock;
}

export const toSessionDto = (session: SessionDoc, caller: Pick<Caller, 'sessionId'>): AuthSessionDto =>
  shown(AuthSessionDto, session, {
    kind: session.client ? 'OAuthClient' : 'User',
    clientId: session.client?.id ?? null,
    clientName: session.client?.name ?? null,
    scopes: session.client?.scopes ?? [],
    isCurrent: session._id === caller.sessionId,
  });

/** Sessions that may still be used, the last used one first. */
export function liveSessionsOf({ sessions }: AuthCollections, { tenantId, userId }: Caller, now: number) {
  const live = { tenantId, userId: userId ?? 0, revokedAt: null, expiresAt: { $gt: new Date(now) } };
  return sessions.find(live, { sort: { lastSeenAt: -1, _id: -1 } }).toArray();
}

export const sessionListHandlers = ({
  collections,
  sessions,
  clock,
}: SessionListDeps): Pick<Handlers<typeof auth>, 'sessions' | 'endSession'> => ({
  sessions: async ({ caller }) =>
    (await liveSessionsOf(collections, caller, clock.now())).map((one) => toSessionDto(one, caller)),
  endSession: async ({ caller, params }) => {
    const own = { _id: params.id, tenantId: caller.tenantId, userId: caller.userId ?? 0, revokedAt: null };
    const found = await collections.sessions.findOne(own);
    if (!found)
      throw new Fault('NOT_FOUND', `You have no session ${params.id}.`, {
        hint: 'List them with GET /api/auth/sessions.',
      });
    await sessions.end(found.userId, found._id);
    return null;
  },
});
