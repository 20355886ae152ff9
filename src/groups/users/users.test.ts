import { expect, it, onTestFinished } from 'vitest';
import { adminKey, createAuthWorld } from '../../auth/testing/world.ts';
import type { RequestInfo } from '../../contract/operation.ts';
import { usersService } from './service.ts';

const request = { id: 'test', ip: '::1', userAgent: null } as RequestInfo;

it('sets a password, asks for the current one, refuses short ones, and signs in with it', async () => {
  const world = await createAuthWorld();
  onTestFinished(() => world.close());
  const { tenantId } = await world.boot({ adminKey });
  const caller = await world.authenticator.fromToken(adminKey, '::1');
  const { handlers } = usersService({
    collections: world.auth,
    clock: world.clock,
    accessChanged: () => world.authenticator.forget(),
  });
  const change = async (currentPassword: string, newPassword: string, endOtherSessions = false) =>
    handlers.changePassword({
      params: {},
      query: undefined,
      caller,
      request,
      body: { currentPassword, newPassword, endOtherSessions },
    });
  await expect(change('', 'short')).rejects.toMatchObject({ code: 'WEAK_PASSWORD' });
  await change('', 'correct horse battery');
  await expect(change('wrong', 'another long password')).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
  const client = { ip: '::1', userAgent: null, remember: false };
  await expect(world.sessions.login(tenantId, 'admin', 'wrong', client)).rejects.toMatchObject({
    code: 'INVALID_CREDENTIALS',
  });
  const issued = await world.sessions.login(tenantId, 'Admin', 'correct horse battery', client);
  expect((await world.authenticator.fromToken(issued.accessToken, '::1')).kind).toBe('User');
  await change('correct horse battery', 'another long password', true);
  await expect(world.authenticator.fromToken(issued.accessToken, '::1')).rejects.toMatchObject({
    code: 'TOKEN_REVOKED',
  });
});
