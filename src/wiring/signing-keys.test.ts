import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { openTestDb } from '../../test/support/embedded-db.ts';
import { createAccessTokens } from '../auth/jwt.ts';
import { silentLogger as log } from '../kernel/logger.ts';
import { SimulatedClock } from '../kernel/simulated-clock.ts';
import { createVault } from '../kernel/vault.ts';
import { openServerState, type ServerState } from '../ports/server-state.ts';
import { createSigningKeys, signingKeyMs } from './signing-keys.ts';

const secret = 'the secret of the server, 32 characters or more';
const claims = { tenantId: 1, userId: 2, sessionId: 3 };
let clock: SimulatedClock;
let state: ServerState;
let db: ReturnType<typeof openTestDb>;
beforeEach(async () => {
  clock = new SimulatedClock();
  db = openTestDb();
  state = await openServerState({ db, clock, log, alone: true });
  onTestFinished(() => state.close());
});

it('tokens of the key before hold for their time, and no longer than the overlap', async () => {
  const keys = createSigningKeys({
    secret,
    vault: createVault({ secret, purpose: 'signing keys' }),
    state,
    clock,
    alone: true,
  });
  const tokens = createAccessTokens({ secret, clock, keys });
  const before = tokens.sign(claims, (2 * signingKeyMs) / 1000);
  const { id } = await keys.rotate('a'.repeat(43));
  const after = tokens.sign(claims, (2 * signingKeyMs) / 1000);
  expect(keys.current().id).toBe(id);
  expect(tokens.verify(before)).toMatchObject(claims);
  expect(tokens.verify(after)).toMatchObject(claims);
  // Without the keys of the store, that token is of nobody.
  expect(() => createAccessTokens({ secret, clock }).verify(after)).toThrow(/cannot be verified/);
  await clock.advance(signingKeyMs + 1000);
  expect(() => tokens.verify(before)).toThrow(/cannot be verified/);
  expect(tokens.verify(after)).toMatchObject(claims);
});

it('another start knows what was rotated', async () => {
  const vault = createVault({ secret, purpose: 'signing keys' });
  const token = await (async () => {
    const keys = createSigningKeys({ secret, vault, state, clock, alone: true });
    await keys.rotate('b'.repeat(43));
    return createAccessTokens({ secret, clock, keys }).sign(claims);
  })();
  const again = await openServerState({ db, clock, log, alone: true });
  const keys = createSigningKeys({ secret, vault, state: again, clock, alone: true });
  expect(createAccessTokens({ secret, clock, keys }).verify(token)).toMatchObject(claims);
  await again.close();
});

it('a new key signs when every node knows it: until then another one could not verify its tokens', async () => {
  const vault = createVault({ secret, purpose: 'signing keys' });
  const other = await openServerState({ db, clock, log, alone: false });
  onTestFinished(() => other.close());
  const [here, there] = [state, other].map((of) =>
    createSigningKeys({ secret, vault, state: of, clock, alone: false }),
  );
  const [mine, theirs] = [here, there].map((keys) => createAccessTokens({ secret, clock, keys }));
  const { id } = await here!.rotate('c'.repeat(43));
  for (let passed = 0; here!.current().id !== id; passed += 100) {
    expect(theirs!.verify(mine!.sign(claims))).toMatchObject(claims);
    expect(passed).toBeLessThan(60_000);
    await clock.advance(100);
  }
  const token = mine!.sign(claims);
  expect(theirs!.verify(token)).toMatchObject(claims);
  expect(() => createAccessTokens({ secret, clock }).verify(token)).toThrow(/cannot be verified/);
});
