// The log over the whole server: searched, followed, counted, sent as digests, and seen by whom it concerns alone.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Client, createClient, type SystemLogDto } from '../../src/client/index.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { hastyClock } from '../support/hasty-clock.ts';
import { keptLog } from '../support/kept-log.ts';
import { seedStore } from '../support/people.ts';
import { startTestServer, type TestServer } from '../support/test-server.ts';

const patience = { timeout: 6_000, interval: 50 };
const otherKey = 'rvt_another-tenants-administrator-key-0123456789';

/** Lines are gathered for a second before they are written: here for a moment. */
const clock: Clock = { ...hastyClock, after: (ms, run) => hastyClock.after(ms === 1000 ? 50 : ms, run) };
const logged = keptLog();
const { log } = logged;
let server: TestServer;
let other: Client;
let otherTenant: number;
beforeAll(async () => {
  server = await startTestServer({}, logged, clock);
  await server.restart(() =>
    seedStore(server.config.dataDir, async (seed) => {
      otherTenant = (await seed.tenant('other', otherKey)).tenantId;
    }),
  );
  other = createClient({ baseUrl: server.url, token: otherKey });
});
afterAll(() => server.close());

const list = async (query: object = {}, client = server.client): Promise<SystemLogDto[]> =>
  (await client.systemLogs.list({ query })).items;
const messages = async (query: object, client = server.client) => (await list(query, client)).map((one) => one.message);

describe('a search', () => {
  it('finds lines by level, domain, text, request, run, identity, code and time', async () => {
    const own = log.child({ domain: 'Webhook' });
    own.warn({ runId: 77, requestId: 'req-search', identityId: 5, code: 'TIMEOUT', at: 'the "door"' }, 'needle one');
    own.debug('too quiet');
    log.error({ err: new Error('the hay burns') }, 'needle two');
    await expect.poll(() => messages({ q: 'needle' }), patience).toEqual(['needle two', 'needle one']);
    const [two, one] = (await list({ q: 'needle' })) as [SystemLogDto, SystemLogDto];
    expect(one).toMatchObject({
      ...{ domain: 'Webhook', level: 'Warning', errorCode: 'TIMEOUT', requestId: 'req-search', runId: 77 },
      ...{ identityId: 5, propertiesJson: '{"at":"the \\"door\\""}', exception: null },
    });
    expect(two).toMatchObject({ domain: 'System', level: 'Error' });
    expect(two.exception).toContain('the hay burns');
    expect(two.exception).toContain('logs.test.ts');
    const narrowed: [object, string[]][] = [
      [{ q: 'NEEDLE ONE' }, ['needle one']],
      [{ q: 'hay burns' }, ['needle two']],
      [{ q: 'the "door"' }, ['needle one']],
      [{ domain: 'Webhook' }, ['needle one']],
      [{ minLevel: 'Error', q: 'needle' }, ['needle two']],
      [{ requestId: 'req-search' }, ['needle one']],
      [{ runId: 77 }, ['needle one']],
      [{ identityId: 5, q: 'needle' }, ['needle one']],
      [{ errorCode: 'TIMEOUT' }, ['needle one']],
      [{ sourceHost: one.sourceHost ?? '', q: 'needle two' }, ['needle two']],
      [{ sourceHost: 'elsewhere' }, []],
      [{ q: 'needle', toUtc: one.createdAtUtc }, []],
      [{ q: 'needle', sort: 'id' }, ['needle one', 'needle two']],
    ];
    for (const [query, found] of narrowed) expect(await messages(query), JSON.stringify(query)).toEqual(found);
  });

  it('goes on where a page ended, whatever is written meanwhile', async () => {
    for (let i = 0; i < 25; i++) log.info({ i }, 'counted line');
    await expect.poll(async () => (await list({ q: 'counted line', pageSize: 100 })).length, patience).toBe(25);
    const seen: SystemLogDto[] = [];
    for (let before: number | undefined; ; ) {
      const page = await server.client.systemLogs.list({
        query: { q: 'counted line', pageSize: 10, ...(before ? { beforeId: before } : {}) },
      });
      seen.push(...page.items);
      if (!page.moreAvailable) break;
      expect(page.hasTotal).toBe(false);
      before = page.items.at(-1)?.id;
      log.info('counted line, too late');
    }
    const numbers = seen.map(({ propertiesJson }) => JSON.parse(propertiesJson ?? '{}').i);
    expect(numbers).toEqual(Array.from({ length: 25 }, (_, i) => 24 - i));
    const second = await server.client.systemLogs.list({
      query: { q: 'counted line', pageSize: 10, page: 2, sort: 'id' },
    });
    expect(second.items.map(({ propertiesJson }) => JSON.parse(propertiesJson ?? '{}').i)).toEqual(
      Array.from({ length: 10 }, (_, i) => 10 + i),
    );
  });

  it('has each request, with its caller, and what was denied as a matter of security', async () => {
    await server.call('GET', '/api/identities', undefined, { 'x-request-id': 'req-known' });
    await server.call('GET', '/api/runs-that-are-not', undefined, { 'x-request-id': 'req-nowhere' });
    await server.call('GET', '/api/identities', undefined, {
      'x-request-id': 'req-denied',
      authorization: 'Bearer rvt_wrong-key-wrong-key-wrong-key-0123',
    });
    // Each log is stored by itself: that one has its line says nothing of the others.
    for (const requestId of ['req-known', 'req-nowhere', 'req-denied'])
      await expect.poll(async () => (await list({ requestId })).length, patience).toBe(1);
    const [known] = await list({ requestId: 'req-known' });
    expect(known).toMatchObject({ domain: 'Http', level: 'Information', message: 'request', errorCode: null });
    expect(known?.identityName).toBe('Administrator');
    expect(JSON.parse(known?.propertiesJson ?? '')).toMatchObject({ route: 'Identities_list', status: 200 });
    expect((await list({ requestId: 'req-nowhere' }))[0]?.errorCode).toBe('ROUTE_NOT_FOUND');
    expect((await list({ requestId: 'req-denied' }))[0]).toMatchObject({
      domain: 'Security',
      errorCode: 'UNAUTHENTICATED',
    });
  });
});

describe('who sees what', () => {
  it('a tenant sees its own lines; the server’s own and stacks are the operator’s', async () => {
    log.warn('of the server itself');
    log.error(
      {
        ...{ tenant: otherTenant, requestId: 'req-theirs', err: new Error('inner workings') },
        ...{ userId: 7, identityId: 8, chatSessionId: 9, runId: 10, tool: 'their own tool' },
      },
      'their request broke',
    );
    log.info({ tenant: otherTenant }, 'their quiet line');
    await other.identities.list();
    await expect
      .poll(() => messages({ q: 'their' }, other), patience)
      .toEqual(['their quiet line', 'their request broke']);
    const [broke] = await list({ q: 'request broke' }, other);
    expect(broke).toMatchObject({ requestId: 'req-theirs', exception: null, userId: 7, chatSessionId: 9 });
    expect(broke?.propertiesJson).toContain('their own tool');
    expect(await messages({ q: 'of the server itself' }, other)).toEqual([]);
    expect(await messages({ q: 'inner workings' }, other)).toEqual([]);
    expect((await list({ minLevel: 'Information', domain: 'Http' }, other)).length).toBeGreaterThan(0);
    expect(await messages({ q: 'their quiet' })).toEqual([]);
    const [ours] = await list({ q: 'request broke' });
    expect(ours?.exception).toContain('inner workings');
    expect(JSON.parse(ours?.propertiesJson ?? '')).toEqual({ ofTenant: otherTenant });
    const none = { userId: null, identityId: null, chatSessionId: null, runId: null };
    expect(ours).toMatchObject({ requestId: 'req-theirs', ...none });
    expect((await list({ q: 'of the server itself' })).length).toBe(1);
  });
});

describe('counts', () => {
  it('are those of the lines, by level, domain and time, with the errors that come most often', async () => {
    const own = log.child({ domain: 'Billing' });
    for (let i = 0; i < 3; i++) own.error({ code: 'TIMEOUT', i }, 'the bill was not sent');
    own.fatal('no bills at all');
    own.info('a bill');
    await expect.poll(async () => (await list({ domain: 'Billing' })).length, patience).toBe(5);
    const stats = await server.client.systemLogs.stats({ query: { domain: 'Billing', bucket: 'Day' } });
    expect(stats).toMatchObject({
      total: 5,
      byLevel: { Error: 3, Critical: 1, Information: 1 },
      byDomain: { Billing: 5 },
    });
    expect(stats.points.reduce((sum, { counts }) => sum + (counts.Error ?? 0), 0)).toBe(3);
    const [most, next] = stats.topErrors;
    expect(most).toMatchObject({ errorCode: 'TIMEOUT', message: 'the bill was not sent', count: 3 });
    expect(next).toMatchObject({ errorCode: null, message: 'no bills at all', count: 1 });
    const [sample] = await list({ domain: 'Billing', errorCode: 'TIMEOUT' });
    expect(most?.sampleLogId).toBe(sample?.id);
  });
});

interface Frame {
  id: string;
  event: string;
  data: SystemLogDto;
}

/** Follows the log; `frames` grows. */
function tail(query: string, headers: Record<string, string> = {}, key = server.key) {
  const frames: Frame[] = [];
  const stop = new AbortController();
  const done = (async () => {
    const url = `${server.url}/api/system-logs/stream?${query}`;
    const response = await fetch(url, { headers: { authorization: `Bearer ${key}`, ...headers }, signal: stop.signal });
    if (!response.ok) throw new Error(await response.text());
    let text = '';
    for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(part).toString();
      const blocks = text.split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1] ?? '';
        if (field('data')) frames.push({ id: field('id'), event: field('event'), data: JSON.parse(field('data')) });
      }
    }
  })().catch((error: unknown) => {
    if (!stop.signal.aborted) throw error;
  });
  return {
    frames,
    stop: () => {
      stop.abort();
      return done;
    },
  };
}

describe('a tail', () => {
  it('begins with the last lines, goes on live, and is resumed without a gap or a repeat', async () => {
    for (let i = 0; i < 5; i++) log.info({ i }, 'tailed line');
    await expect.poll(async () => (await list({ q: 'tailed line' })).length, patience).toBe(5);
    const numbersOf = ({ frames }: { frames: Frame[] }) =>
      frames.map(({ data }) => JSON.parse(data.propertiesJson ?? '{}').i);
    const first = tail('q=tailed%20line&backlog=2');
    await expect.poll(() => numbersOf(first), patience).toEqual([3, 4]);
    log.info({ i: 5 }, 'tailed line');
    log.info('another line');
    await expect.poll(() => numbersOf(first), patience).toEqual([3, 4, 5]);
    expect(first.frames.every(({ id, event, data }) => event === 'log' && id === String(data.id))).toBe(true);
    await first.stop();
    for (let i = 6; i < 9; i++) log.info({ i }, 'tailed line');
    const cursor = first.frames.at(-2)?.id as string;
    const second = tail('q=tailed%20line', { 'last-event-id': cursor });
    await expect.poll(() => numbersOf(second), patience).toEqual([5, 6, 7, 8]);
    const none = tail('q=tailed%20line&backlog=0');
    const newest = () => {
      log.info({ i: 9 }, 'tailed line');
      return numbersOf(none).includes(9);
    };
    await expect.poll(newest, patience).toBe(true);
    expect(numbersOf(none).every((i) => i === 9)).toBe(true);
    await Promise.all([second.stop(), none.stop()]);
    expect((await server.call('GET', '/api/system-logs/stream?lastEventId=x')).body.errorCode).toBe('INVALID_CURSOR');
  });
});

describe('the level', () => {
  const setLevel = (level: string | null) =>
    server.call('PATCH', '/api/system/config', { settings: { RIVULET_LOG: level } });
  const printed = (words: string) => logged.printed.filter((line) => line.includes(words));

  it('holds at once for all parts, and a warning of the access log is one', async () => {
    const child = log.child({ domain: 'Agent' });
    expect((await setLevel('warn')).status).toBe(200);
    await server.call('GET', '/api/agent/tool-profiles');
    child.info('whispered');
    await fetch(`${server.url}/api/agent/runs?q=warned`, { headers: { authorization: 'Bearer rvt_wrong-key' } });
    await setLevel('debug');
    child.debug('shouted');
    await server.call('GET', '/api/agent/roles');
    await setLevel(null);
    child.debug('whispered');
    expect(printed('whispered')).toEqual([]);
    expect(printed('shouted')).toHaveLength(1);
    expect(printed('"status":401').length).toBeGreaterThan(0);
    expect(printed('"path":"/api/agent/tool-profiles"')).toEqual([]);
    expect(printed('"path":"/api/agent/roles"')).toHaveLength(1);
  });
});

describe('probes', () => {
  const answered = () => logged.printed.filter((line) => /"route":"System_(ready|health)"/.test(line)).length;

  it('have a line at debug alone, but for those that find something amiss', async () => {
    const probe = () => Promise.all(['/readyz', '/livez', '/api/system/ready'].map((path) => fetch(server.url + path)));
    const before = answered();
    for (const { status } of await probe()) expect(status).toBe(200);
    expect((await fetch(`${server.url}/api/system/ready?x=1`)).status).toBe(400);
    expect(answered() - before).toBe(1);
    await server.call('PATCH', '/api/system/config', { settings: { RIVULET_LOG: 'debug' } });
    await probe();
    await server.call('PATCH', '/api/system/config', { settings: { RIVULET_LOG: null } });
    expect(answered() - before).toBe(4);
  });
});

describe('a restart', () => {
  it('keeps what was written, and numbers go on', async () => {
    log.info('before the restart');
    await server.restart();
    log.info('after the restart');
    await expect
      .poll(() => messages({ q: 'the restart' }), patience)
      .toEqual(['after the restart', 'before the restart']);
    const [after, before] = await list({ q: 'the restart' });
    expect(after?.id).toBeGreaterThan(before?.id ?? 0);
  });
});
