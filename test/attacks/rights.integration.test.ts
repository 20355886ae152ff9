// Nobody gets more rights than they had, by whatever sequence of roles, keys, users, passwords, invitations, identities,
// children, clones, adoptions and souls that is theirs to make: random sequences, each step with whatever credentials were gained before.
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { Permission, UserRole } from '../../src/contract/enums.ts';
import '../support/properties.ts';
import { tokenTo } from '../support/mailbox.ts';
import { startWithPeople } from '../support/people.ts';
import { request } from '../support/test-server.ts';

type People = Awaited<ReturnType<typeof startWithPeople>>;
let people: People;
// Others for each test: an Admin may change or end the keys of those below them.
beforeEach(async () => {
  people = await startWithPeople(['Admin', 'Operator', 'Member']);
});
afterEach(() => people.close());

/** What a sequence may use: everything that it has learned so far. */
interface Loot {
  tokens: string[];
  users: number[];
  identities: number[];
  roles: number[];
}

let serial = 0;
const unique = (what: string) => `${what}-${++serial}`;
const pick = <T>(some: readonly T[], at: number): T => some[at % some.length] as T;

interface Step {
  what: number;
  by: number;
  on: number;
  permissions: Permission[];
  role: UserRole;
}

type Call = (method: string, path: string, body?: unknown) => ReturnType<typeof request>;

/** Each step does one thing as somebody, and keeps what it gained. */
const steps: ((call: Call, loot: Loot, step: Step) => Promise<void>)[] = [
  async (call, loot, { permissions, on }) => {
    const made = await call('POST', '/api/roles', { name: unique('role'), permissions, weight: on % 8 });
    if (made.body.ok) loot.roles.push(made.body.data.id);
  },
  async (call, loot, { permissions, on }) =>
    void (await call('PUT', `/api/roles/${pick(loot.roles, on)}/permissions`, { permissions })),
  async (call, loot, { on, by }) =>
    void (await call('PATCH', `/api/users/${pick(loot.users, on)}`, { roleIds: [pick(loot.roles, by)] })),
  async (call, loot, { on, role }) => void (await call('PATCH', `/api/users/${pick(loot.users, on)}`, { role })),
  async (call, loot, { role, on }) => {
    const [username, password] = [unique('user'), 'words of a made user'];
    const roleIds = on % 2 && loot.roles.length > 0 ? [pick(loot.roles, on)] : [];
    const made = await call('POST', '/api/users', { username, role, roleIds, password });
    if (!made.body.ok) return;
    loot.users.push(made.body.data.id);
    const signedIn = await request(people.server.url, 'POST', '/api/auth/login', { login: username, password });
    if (signedIn.body.ok) loot.tokens.push(signedIn.body.data.accessToken);
  },
  async (call, loot, { on }) => {
    const user = pick(loot.users, on);
    const reset = await call('POST', `/api/users/${user}/reset-password`, { newPassword: 'words of a reset one' });
    if (!reset.body.ok) return;
    const { username } = (await people.server.call('GET', `/api/users/${user}`)).body.data;
    const login = { login: username, password: 'words of a reset one' };
    const signedIn = await request(people.server.url, 'POST', '/api/auth/login', login);
    if (signedIn.body.ok) loot.tokens.push(signedIn.body.data.accessToken);
  },
  async (call, loot, { on }) => {
    const made = await call('POST', `/api/users/${pick(loot.users, on)}/apikey`, {});
    if (made.body.ok) loot.tokens.push(made.body.data.rawKey);
  },
  async (call, loot, { on, permissions }) => {
    const body = { name: unique('key'), scopes: on % 3 ? permissions : [] };
    const made = await call('POST', `/api/identities/${pick(loot.identities, on)}/api-keys`, body);
    if (made.body.ok) loot.tokens.push(made.body.data.rawKey);
  },
  async (call, loot, { on }) => {
    const body = { name: unique('identity'), ...(on % 2 ? { userId: pick(loot.users, on) } : {}) };
    const made = await call('POST', '/api/identities', body);
    if (!made.body.ok) return;
    loot.identities.push(made.body.data.id);
    loot.users.push(made.body.data.userId);
  },
  async (call, loot, { role }) => {
    const username = unique('guest');
    const email = `${username}@example.com`;
    const made = await call('POST', '/api/users', { username, email, role, sendInvite: true });
    if (!made.body.ok) return;
    const inviteToken = await tokenTo(people.server.config.dataDir, email, 'invite');
    const body = { username, email, password: 'words of a guest', inviteToken };
    const joined = await request(people.server.url, 'POST', '/api/auth/register', body);
    if (joined.body.ok) loot.tokens.push(joined.body.data.accessToken);
  },
  async (call, loot, { on }) => {
    const email = `${unique('moved')}@example.com`;
    const user = pick(loot.users, on);
    const moved = await call('PATCH', `/api/users/${user}`, { email });
    if (!moved.body.ok) return;
    await request(people.server.url, 'POST', '/api/auth/password/forgot', { login: email });
    const token = await tokenTo(people.server.config.dataDir, email, 'reset').catch(() => '');
    const newPassword = 'words of a mailed one';
    const reset = await request(people.server.url, 'POST', '/api/auth/password/reset', { token, newPassword });
    if (!reset.body.ok) return;
    const signedIn = await request(people.server.url, 'POST', '/api/auth/login', {
      login: email,
      password: newPassword,
    });
    if (signedIn.body.ok) loot.tokens.push(signedIn.body.data.accessToken);
  },
  async (call, loot, { on, permissions }) => {
    const body = { name: unique('child'), createApiKey: true, ...(on % 2 ? { scopes: permissions } : {}) };
    const made = await call('POST', '/api/identities/provision', body);
    if (!made.body.ok) return;
    loot.identities.push(made.body.data.identity.id);
    loot.users.push(made.body.data.identityUserId);
    if (made.body.data.rawApiKey) loot.tokens.push(made.body.data.rawApiKey);
  },
  async (call, loot, { on }) => {
    const made = await call('POST', `/api/identities/${pick(loot.identities, on)}/clone`, { name: unique('clone') });
    if (!made.body.ok) return;
    loot.identities.push(made.body.data.id);
    loot.users.push(made.body.data.userId);
  },
  async (call, loot, { on }) => void (await call('POST', `/api/identities/${pick(loot.identities, on)}/adopt`, {})),
  async (call, loot, { on, by }) => {
    const markdown = `# ${unique('Soul')}\n\n- Role: planner\n\n## Traits\n\n- bold`;
    const over = on % 2 ? { overwriteIdentityId: pick(loot.identities, by) } : { userId: pick(loot.users, by) };
    const made = await call('POST', '/api/identities/from-soul', { markdown, ...over });
    if (made.body.ok) loot.identities.push(made.body.data.id);
  },
  async (call, loot, { on }) => {
    const id = pick(loot.identities, on);
    const { body } = await call('GET', `/api/identities/${id}/soul/versions`);
    const version = body.ok && body.data.items.at(-1);
    if (version) await call('POST', `/api/identities/${id}/soul/versions/${version.id}/restore`, {});
  },
  async (call, loot, { on }) => {
    const id = pick(loot.identities, on);
    const { body } = await call('GET', `/api/identities/${id}/api-keys`);
    const key = body.ok ? body.data.items[0] : undefined;
    const rotated = key ? await call('POST', `/api/identities/${id}/api-keys/${key.id}/rotate`, {}) : null;
    if (rotated?.body.ok) loot.tokens.push(rotated.body.data.rawKey);
  },
  async (call, _, { role, permissions }) => {
    await call('PUT', '/api/users/me/profile', { displayName: 'x' });
    await call('PATCH', '/api/roles/1', { permissions, weight: UserRole.options.indexOf(role) });
  },
];

const step: fc.Arbitrary<Step> = fc.record({
  what: fc.nat(steps.length - 1),
  by: fc.nat(50),
  on: fc.nat(50),
  permissions: fc.subarray([...Permission.options], { maxLength: 6 }),
  role: fc.constantFrom(...UserRole.options),
});

const principalOf = async (token: string) =>
  (await request(people.server.url, 'GET', '/api/auth/me', undefined, { authorization: `Bearer ${token}` })).body;

/** What a key needs to make others, and to reach people: all but what it would gain by that. */
const narrow: Permission[] = ['ApiKeysManage', 'IdentitiesWrite', 'IdentitiesProvision', 'UsersWrite', 'RolesWrite'];

/**
 * Somebody new of a role, with a key that does what they may, or that leaves some of it out. Each sequence has one of
 * its own: the last one may have ended their keys or lowered their role, and would leave nothing to try.
 */
async function newcomer(role: UserRole, reach: 'whole' | 'narrow') {
  const { call } = people.server;
  const { id: userId } = (await call('POST', '/api/users', { username: unique('newcomer'), role })).body.data;
  const { rawKey } = (await call('POST', `/api/users/${userId}/apikey`, {})).body.data;
  const identityId: number = (await principalOf(rawKey)).data.identity.id;
  const body = { name: unique('key'), scopes: reach === 'narrow' ? narrow : [] };
  const made = (await call('POST', `/api/identities/${identityId}/api-keys`, body)).body.data;
  return { userId, identityId, key: made.rawKey as string };
}

it.each([
  ['an Admin', 'Admin', 'whole'],
  ['an Operator', 'Operator', 'whole'],
  ['a Member', 'Member', 'whole'],
  ['a narrow key of an Admin', 'Admin', 'narrow'],
  ['a narrow key of an Operator', 'Operator', 'narrow'],
] as const)(
  'whatever %s does, nothing of it can do more than they',
  async (_, who, reach) => {
    // Sessions and other people are reached too, by every id that there is.
    const everybody = ['owner', 'Admin', 'Operator', 'Member'].map((name) => people.person(name));
    const roles = (await people.server.call('GET', '/api/roles?pageSize=10')).body.data.items as { id: number }[];
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 20 }), async (sequence) => {
        const { key, userId, identityId } = await newcomer(who, reach);
        const { permissions } = (await principalOf(key)).data;
        const loot: Loot = {
          tokens: [key],
          users: [userId, ...everybody.map((one) => one.userId)],
          identities: [identityId, ...everybody.map((one) => one.identityId)],
          roles: roles.map(({ id }) => id),
        };
        for (const one of sequence) {
          const token = pick(loot.tokens, one.by);
          const call: Call = (method, path, body) =>
            request(people.server.url, method, path, body, { authorization: `Bearer ${token}` });
          await steps[one.what]?.(call, loot, one);
        }
        for (const token of loot.tokens) {
          const { ok, data } = await principalOf(token);
          if (ok) expect(data.permissions.filter((one: string) => !permissions.includes(one))).toEqual([]);
        }
      }),
      { numRuns: 12 },
    );
  },
  120_000,
);
