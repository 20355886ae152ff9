// Tenants that people start by registering.
import { expect } from 'vitest';
import { Permission } from '../../src/contract/enums.ts';
import { request, type TestServer } from './test-server.ts';

export const strangersPassword = 'a few words of a stranger';

/** Lets everybody register who likes, and changes nothing else of the first tenant's policy. */
export async function openRegistration(server: TestServer, more: object = {}): Promise<void> {
  const {
    version: _v,
    updatedByName: _n,
    updatedAtUtc: _u,
    ...policy
  } = (await server.call('GET', '/api/tenant-policy')).body.data;
  const replaced = await server.call('PUT', '/api/tenant-policy', { ...policy, registrationMode: 'Open', ...more });
  expect(replaced.body.error ?? null).toBeNull();
}

/** Somebody registers, which starts a tenant of that name; answers the tokens. */
export async function register(server: TestServer, username: string, more: object = {}) {
  const body = {
    username,
    email: `${username}@example.com`,
    password: strangersPassword,
    displayName: username,
    ...more,
  };
  return request(server.url, 'POST', '/api/auth/register', body);
}

/** A tenant by registration, and a key of its owner. */
export async function registerStranger(server: TestServer, username: string): Promise<string> {
  await openRegistration(server);
  const { body } = await register(server, username);
  expect(body.error ?? null).toBeNull();
  const { accessToken, identityId } = body.data;
  const made = await request(
    server.url,
    'POST',
    `/api/identities/${identityId}/api-keys`,
    { name: 'own', scopes: Permission.options },
    { authorization: `Bearer ${accessToken}` },
  );
  return made.body.data.rawKey as string;
}
