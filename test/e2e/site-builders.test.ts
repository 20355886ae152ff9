// Builders elsewhere: a claim is a lease over HTTP, which ends by itself and frees the build for somebody else.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { hastyUpTo } from '../support/hasty-clock.ts';
import { createShiftedClock } from '../support/shifted-clock.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const clock = createShiftedClock();
let server: TestServer;
beforeAll(async () => {
  // Leases that have ended are looked for each five seconds.
  const hasty = { ...hastyUpTo(5000), now: clock.now };
  server = await startTestServer({ RIVULET_SITE_BUILDER: 'elsewhere' }, null, hasty);
});
afterAll(() => server.close());

const post = (path: string, body: object = {}) => server.call('POST', `/api${path}`, body);

it('have a build until their lease ends; then another has it, and who had it first completes nothing', async () => {
  const ask = async (name: string) => {
    const { data: project } = (await post('/projects', { name, siteEnabled: true, siteSlug: name })).body;
    return (await post(`/projects/${project.id}/site-builds`)).body.data;
  };
  const claim = (builderHost: string, leaseSeconds = 600) => post('/site-builds/claim', { builderHost, leaseSeconds });
  const taken = (builderHost: string) => async () => (await claim(builderHost)).body.data?.id ?? null;
  const asked = await ask('leased');
  const first = await claim('one');
  expect(first.body.data).toMatchObject({ id: asked.id, status: 'Building', builderHost: 'one' });
  expect((await claim('two')).body.errorCode).toBe('NOT_FOUND');
  // Claiming again prolongs it.
  expect((await claim('one')).body.data.id).toBe(asked.id);
  // A shorter lease of a later build ends: whoever looked for that has seen the lease of the first one before.
  const later = await ask('later');
  expect((await claim('three', 200)).body.data.id).toBe(later.id);
  clock.shift(300_000);
  await expect.poll(taken('four')).not.toBeNull();
  expect((await claim('four')).body.data.id).toBe(later.id);
  expect((await claim('two')).body.errorCode).toBe('NOT_FOUND');
  clock.shift(300_000);
  await expect.poll(taken('two')).toBe(asked.id);
  const complete = (builderHost: string) => post(`/site-builds/${asked.id}/complete`, { success: true, builderHost });
  const late = await complete('one');
  expect([late.status, late.body.errorCode]).toEqual([409, 'ALREADY_CLAIMED']);
  expect((await complete('two')).body.data).toMatchObject({ status: 'Published', builderHost: 'two' });
});
