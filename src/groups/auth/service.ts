// Signs people in and out and says who a caller is.
import type { Authenticator } from '../../auth/authenticator.ts';
import type { AccessTokens } from '../../auth/jwt.ts';
import { livePassword } from '../../auth/live.ts';
import { hasSecondFactor } from '../../auth/mfa.ts';
import { rolesOf } from '../../auth/roles.ts';
import type { ClientInfo, Sessions } from '../../auth/sessions.ts';
import type { SignIn } from '../../auth/sign-in.ts';
import type { Caller } from '../../contract/caller.ts';
import { implement, type RequestInfo } from '../../contract/operation.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { toIdentityDto } from '../identities/to-dto.ts';
import { toRoleDtos } from '../roles/to-dto.ts';
import { toUserDto } from '../users/to-dto.ts';
import { auth } from './contract.ts';
import { inCookie, readCookie, requireOwnOrigin, takeCookie } from './cookie.ts';
import type { OrgUnitMembershipDto } from './dto.ts';
import { createIntrospection } from './introspection.ts';
import { type MailedDeps, mailedHandlers } from './mailed.ts';
import { createRegistration, type RegistrationDeps } from './registration.ts';
import { type SecondFactorDeps, secondFactorHandlers } from './second-factor.ts';
import { type SessionListDeps, sessionListHandlers } from './sessions.ts';
import { toTokenDto } from './to-token-dto.ts';

export interface AuthDeps extends RegistrationDeps, SecondFactorDeps, MailedDeps, SessionListDeps {
  sessions: Sessions;
  signIn: SignIn;
  tokens: AccessTokens;
  authenticator: Pick<Authenticator, 'fromToken'>;
  /** The organisation units that the caller is in. */
  membershipsOf: (caller: Caller) => Promise<OrgUnitMembershipDto[]>;
  clock: Clock;
}

export const authService = implement(auth, (deps: AuthDeps) => {
  const { collections, sessions, signIn, clock } = deps;
  const register = createRegistration(deps);
  const introspect = createIntrospection(deps);
  return {
    ...sessionListHandlers(deps),
    ...secondFactorHandlers(deps),
    ...mailedHandlers(deps),
    register: async ({ body, request }) => {
      const user = await register(body);
      return toTokenDto(await sessions.begin(user, { ...clientOf(request), remember: false }));
    },
    introspect: ({ caller, body, request }) => introspect(caller, body.token, { ip: request.ip, now: clock.now() }),
    login: async ({ body, request }) => {
      // A foreign page must not sign a browser in as somebody else.
      if (body.useCookie) requireOwnOrigin(request);
      const issued = await signIn.withPassword(body.login, body.password, {
        ...clientOf(request),
        deviceName: body.deviceName ?? null,
        remember: body.rememberMe ?? false,
        mfaCode: body.mfaCode || null,
      });
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
      // A client that was let in signs nobody out but itself.
      const all = body?.allSessions && !caller.client;
      await sessions.end(caller.userId, all ? null : caller.sessionId);
      if (readCookie(request) !== null) takeCookie(request);
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
        orgUnits: await deps.membershipsOf(caller),
        sessionId: caller.sessionId,
        tenantName: tenant?.name ?? '',
        mfaEnabled: user !== null && hasSecondFactor(user),
        hasPassword: user !== null && (await livePassword(collections, clock, user)) !== null,
        recoveryCodesLeft: user?.recoveryHashes?.length ?? 0,
      };
    },
  };
});

const clientOf = (request: RequestInfo): ClientInfo => ({ ip: request.ip, userAgent: request.userAgent });
