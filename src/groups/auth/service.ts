// Signs people in and out and says who a caller is.
import type { AuthCollections } from '../../auth/collections.ts';
import { livePassword } from '../../auth/live.ts';
import { rolesOf } from '../../auth/roles.ts';
import type { ClientInfo, IssuedTokens, Sessions } from '../../auth/sessions.ts';
import { implement, type RequestInfo } from '../../contract/operation.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { toIdentityDto } from '../identities/to-dto.ts';
import { toRoleDtos } from '../roles/to-dto.ts';
import { toUserDto } from '../users/to-dto.ts';
import { auth } from './contract.ts';
import { giveCookie, readCookie, requireOwnOrigin } from './cookie.ts';
import type { AuthTokenDto } from './dto.ts';

export interface AuthDeps {
  collections: AuthCollections;
  sessions: Sessions;
  clock: Clock;
  /** The tenant that people sign in to. */
  tenantId: number;
}

export const authService = implement(auth, ({ collections, sessions, clock, tenantId }: AuthDeps) => ({
  login: async ({ body, request }) => {
    const options = { ...clientOf(request), deviceName: body.deviceName ?? null, remember: body.rememberMe ?? false };
    // A foreign page must not sign a browser in as somebody else.
    if (body.useCookie) requireOwnOrigin(request);
    const issued = await sessions.login(tenantId, body.login, body.password, options);
    return body.useCookie ? inCookie(issued, request) : toTokenDto(issued);
  },
  refresh: async ({ body, request }) => {
    if (body?.refreshToken != null) {
      if (body.useCookie) requireOwnOrigin(request);
      const issued = await sessions.refresh(body.refreshToken, clientOf(request));
      return body.useCookie ? inCookie(issued, request) : toTokenDto(issued);
    }
    const kept = readCookie(request);
    if (kept === null)
      throw new Fault('VALIDATION_FAILED', 'There is no refresh token, neither in the body nor in a cookie.', {
        hint: 'Send refreshToken, or sign in with useCookie.',
      });
    requireOwnOrigin(request);
    return inCookie(await sessions.refresh(kept, clientOf(request)), request);
  },
  logout: async ({ body, caller, request }) => {
    if (caller.sessionId === null || caller.userId === null)
      throw new Fault('CONFLICT', 'A key has no session to end.', {
        hint: 'Revoke the key with DELETE /api/identities/{identityId}/api-keys/{keyId}.',
      });
    await sessions.end(caller.userId, body?.allSessions ? null : caller.sessionId);
    if (readCookie(request) !== null) giveCookie(request, null, new Date(0));
    return null;
  },
  me: async ({ caller }) => {
    const [user, identity, tenant] = await Promise.all([
      collections.users.findOne({ _id: caller.userId ?? 0, tenantId: caller.tenantId }),
      collections.identities.findOne({ _id: caller.identityId ?? 0, tenantId: caller.tenantId }),
      collections.tenants.findOne({ _id: caller.tenantId }),
    ]);
    const roles = user ? await rolesOf(collections, user) : [];
    return {
      kind: caller.kind,
      user: user && toUserDto(user),
      identity: identity && toIdentityDto(identity),
      roles: await toRoleDtos(collections, roles),
      permissions: [...caller.permissions].sort(),
      orgUnits: [],
      sessionId: caller.sessionId,
      tenantName: tenant?.name ?? '',
      mfaEnabled: false,
      hasPassword: user !== null && (await livePassword(collections, clock, user)) !== null,
      recoveryCodesLeft: 0,
    };
  },
}));

const clientOf = (request: RequestInfo): ClientInfo => ({ ip: request.ip, userAgent: request.userAgent });

/** The refresh token goes into a cookie instead of the answer. */
function inCookie(issued: IssuedTokens, request: RequestInfo): AuthTokenDto {
  giveCookie(request, issued.refreshToken, issued.session.expiresAt);
  return { ...toTokenDto(issued), refreshToken: null };
}

function toTokenDto({ accessToken, expiresInSeconds, refreshToken, session, user }: IssuedTokens): AuthTokenDto {
  return {
    accessToken,
    tokenType: 'Bearer',
    expiresInSeconds,
    refreshToken,
    refreshExpiresAtUtc: session.expiresAt.toISOString(),
    sessionId: session._id,
    user: toUserDto(user),
    identityId: session.identityId,
    mfaEnrollmentRequired: false,
    emailConfirmationRequired: false,
  };
}
