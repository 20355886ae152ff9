import { expect, it, onTestFinished } from 'vitest';
import { adminKey, createAuthWorld } from '../../../test/support/auth-world.ts';
import { userRecord } from '../../auth/collections.ts';
import type { RequestInfo } from '../../contract/operation.ts';
import { createKeeper } from '../../ports/keeper.ts';
import { perTenant } from '../../ports/tenanted.ts';
import { createNoVectors } from '../../stores/vectors/none.ts';
import { createDocumentWords } from '../../stores/words/documents.ts';
import { createPersonalData } from './export/personal-data.ts';
import { usersService } from './service.ts';

type World = Awaited<ReturnType<typeof createAuthWorld>>;
const usersOf = (world: World) =>
  usersService({
    ...world,
    tenantId: 1,
    personalData: createPersonalData({
      ...world,
      collections: world.auth,
      indexes: { words: createDocumentWords(world), vectors: createNoVectors() },
    }),
    collections: world.auth,
    users: createKeeper(userRecord, world),
    roles: perTenant(world.auth.roles),
  });
const request = { id: 'test', ip: '::1', userAgent: null } as RequestInfo;

it('sets a password, asks for the current one, refuses short ones, and signs in with it', async () => {
  const world = await createAuthWorld();
  onTestFinished(() => world.close());
  await world.boot({ adminKey });
  const caller = await world.authenticator.fromToken(adminKey, '::1');
  const { handlers } = usersOf(world);
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
  const client = { ip: '::1', userAgent: null, remember: false, mfaCode: null };
  await expect(world.signIn.withPassword('admin', 'wrong', client)).rejects.toMatchObject({
    code: 'INVALID_CREDENTIALS',
  });
  const issued = await world.signIn.withPassword('Admin', 'correct horse battery', client);
  expect((await world.authenticator.fromToken(issued.accessToken, '::1')).kind).toBe('User');
  await change('correct horse battery', 'another long password', true);
  await expect(world.authenticator.fromToken(issued.accessToken, '::1')).rejects.toMatchObject({
    code: 'TOKEN_REVOKED',
  });
});

it('asks a person who has no password to sign in anew before setting one, and lets a password end with its key', async () => {
  const world = await createAuthWorld();
  onTestFinished(() => world.close());
  const { firstBoot } = await world.boot({ adminKey: null });
  const client = { ip: '::1', userAgent: null };
  const issued = await world.sessions.refresh(firstBoot?.signInToken ?? '', client);
  const { handlers } = usersOf(world);
  const change = async (token: string, currentPassword: string, newPassword: string) => {
    const caller = await world.authenticator.fromToken(token, '::1');
    return handlers.changePassword({
      params: {},
      query: undefined,
      caller,
      request,
      body: { currentPassword, newPassword },
    });
  };
  await world.clock.advance(7_200_000);
  const later = await world.sessions.refresh(issued.refreshToken, client);
  await expect(change(later.accessToken, '', 'correct horse battery')).rejects.toMatchObject({ code: 'FORBIDDEN' });
  const key = firstBoot?.adminKey ?? '';
  await change(key, '', 'correct horse battery');
  const login = (password: string) =>
    world.signIn.withPassword('admin', password, { ...client, remember: false, mfaCode: null });
  await login('correct horse battery');
  await world.auth.keys.updateMany({}, { $set: { revokedAt: new Date(world.clock.now()) } });
  await expect(login('correct horse battery')).rejects.toMatchObject({ code: 'INVALID_CREDENTIALS' });
});
