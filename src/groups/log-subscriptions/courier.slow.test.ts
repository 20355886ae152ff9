// Digests of log lines over a store of their own: one message for many lines, each line once, and no digest of a digest.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createAuthWorld } from '../../../test/support/auth-world.ts';
import { createLogTap } from '../../kernel/log-tap.ts';
import { createLogger } from '../../kernel/logger.ts';
import { SimulatedClock } from '../../kernel/simulated-clock.ts';
import { createLogBounds } from '../../logs/bounds.ts';
import { logBodies, logChunks, logFloors } from '../../logs/chunk.ts';
import { createLogFinder } from '../../logs/finder.ts';
import { idAt } from '../../logs/ids.ts';
import { createLogKeeper } from '../../logs/keeper.ts';
import { createLogTail } from '../../logs/tail.ts';
import { createKeeper } from '../../ports/keeper.ts';
import type { MessageDraft } from '../messages/inbox.ts';
import { createLogCourier } from './courier.ts';
import { logSubscriptionRecord } from './record.ts';
import { firstSpacing } from './spacing.ts';

const tenantId = 1;
const reader = 9;
let world: Awaited<ReturnType<typeof createAuthWorld>>;
beforeEach(async () => {
  world = await createAuthWorld([logChunks, logBodies, logFloors, logSubscriptionRecord.spec]);
});
afterEach(() => world.close());

async function open() {
  const clock = new SimulatedClock(Date.now());
  const { db, ids } = world;
  const tap = createLogTap();
  // Lines have the time at which the logger wrote them, which is that of the machine.
  const log = createLogger({ level: 'trace', pretty: false, tap, out: { write: () => {} } });
  const bounds = createLogBounds({ db, most: { lines: 1e6, bytes: 1e9 } });
  const keeper = await createLogKeeper({
    ...{ db, clock, log, tap, nodeId: 'n1', host: 'here', slot: 1, operatorTenantId: tenantId, trim: bounds.trim },
    runOwners: async () => new Map(),
  });
  const finder = createLogFinder({ db });
  const tail = createLogTail({ finder, keeper, clock, marks: null });
  const sent = new Map<string, MessageDraft>();
  const state = { rights: true, dies: null as Error | null };
  const inbox = {
    send: async (draft: MessageDraft) => {
      const existed = sent.has(draft.key ?? '');
      if (!existed) sent.set(draft.key ?? '', draft);
      log.child({ domain: 'Webhook' }).debug({ identityId: reader, route: 'Messages_list' }, 'the reader looks');
      if (state.dies) throw state.dies;
      return { message: {} as never, existed };
    },
  };
  const courierOf = () =>
    createLogCourier({
      ...{ db, clock, log: log.child({ domain: 'Webhook' }), finder, tail, inbox, logsOf: () => [tenantId, 0] },
      makerOf: async () => ({ permissions: new Set(state.rights ? (['LogsRead'] as const) : []) }),
    });
  const subscriptions = createKeeper(logSubscriptionRecord, { db, ids, clock });
  const courier = courierOf();
  const round = async () => {
    await keeper.flush();
    await courier.round();
    await keeper.flush();
  };
  return {
    ...{ clock, log, keeper, sent, state, subscriptions, courierOf, round },
    messages: () => [...sent.values()].map(({ content }) => content),
    subscribe: (more: object = {}) =>
      subscriptions.insert(
        { tenantId },
        {
          ...{ domain: 'Webhook', minLevel: 'Warning', sourceHost: null, isActive: true, identityId: reader },
          ...{ createdByUserId: 1, createdByIdentityId: null, cursor: idAt(clock.now()), sendingTo: null },
          ...{ sentAt: null, spacing: firstSpacing, ...more },
        },
      ),
    async pass(ms: number) {
      await clock.advance(ms);
      await round();
    },
  };
}
const minute = 60_000;
/** Longer than lines gather, by the clock of the machine too. */
const later = 30 * minute;

it('tells of many lines in one message: how many, of which levels, what most say, and the first of them', async () => {
  const { log, round, messages, subscribe, clock, sent } = await open();
  await subscribe();
  const hook = log.child({ domain: 'Webhook', tenant: tenantId });
  for (let i = 0; i < 30; i++) hook.warn({ code: 'TIMEOUT', i }, 'a receiver is slow');
  hook.error({ requestId: 'r-1' }, 'a receiver is gone');
  hook.info('quiet');
  log.child({ domain: 'Chat' }).error('elsewhere');
  await clock.advance(Date.now() - clock.now() + later);
  await round();
  expect(messages()).toHaveLength(1);
  const [content = ''] = messages();
  expect(content).toMatch(/^31 log lines of Webhook, /);
  expect(content).toContain('Error 1, Warning 30');
  expect(content).toContain('30 × TIMEOUT: a receiver is slow');
  expect(content.match(/Warning TIMEOUT: a receiver is slow/g)).toHaveLength(10);
  expect(content).not.toMatch(/quiet|elsewhere/);
  expect([...sent.values()][0]).toMatchObject({ priority: 'High', recipientIds: [reader], type: 'System', tenantId });
});

it('tells each line once: not again after a crash, a restart or by another node', async () => {
  const { log, round, messages, subscribe, clock, state, keeper, courierOf } = await open();
  await subscribe();
  const hook = log.child({ domain: 'Webhook', tenant: tenantId });
  hook.warn('first');
  await clock.advance(Date.now() - clock.now() + later);
  state.dies = new Error('the power is out');
  await round();
  state.dies = null;
  hook.warn('second');
  await keeper.flush();
  const others = [courierOf(), courierOf()];
  await Promise.all(others.map((one) => one.round()));
  expect(messages()).toHaveLength(1);
  expect(messages()[0]).toMatch(/^1 log line of Webhook/);
  await clock.advance(later);
  await Promise.all(others.map((one) => one.round()));
  await courierOf().round();
  expect(messages()).toHaveLength(2);
  expect(messages()[1]).toMatch(/^1 log line of Webhook[\s\S]*second/);
});

it('is not told of what its own messages have written, nor of its reader’s looking at them', async () => {
  const { log, messages, subscribe, pass, clock, state } = await open();
  await subscribe({ minLevel: 'Trace' });
  log.child({ domain: 'Webhook', tenant: tenantId }).warn('the one line');
  await clock.advance(Date.now() - clock.now());
  state.dies = new Error('no inbox');
  for (let i = 0; i < 5; i++) await pass(later);
  state.dies = null;
  for (let i = 0; i < 20; i++) await pass(later);
  expect(messages()).toHaveLength(1);
  expect(messages()[0]).toMatch(/^1 log line of Webhook/);
});

it('sends less often while lines keep coming, and soon again after a quiet time', async () => {
  const { log, messages, subscribe, pass, clock } = await open();
  await subscribe();
  const hook = log.child({ domain: 'Webhook', tenant: tenantId });
  await clock.advance(Date.now() - clock.now());
  for (let i = 0; i < 120; i++) {
    hook.warn({ i }, 'again');
    await pass(minute);
  }
  const many = messages().length;
  expect(many).toBeGreaterThan(2);
  expect(many).toBeLessThan(12);
  for (let i = 0; i < 200; i++) await pass(minute);
  const quiet = messages().length;
  expect(quiet).toBeLessThanOrEqual(many + 1);
  hook.warn('news');
  await pass(minute);
  expect(messages()).toHaveLength(quiet + 1);
});

it('ends when who made it may not read logs any more', async () => {
  const { log, round, messages, subscribe, subscriptions, clock, state } = await open();
  const { _id } = await subscribe();
  log.child({ domain: 'Webhook', tenant: tenantId }).warn('not for you');
  await clock.advance(Date.now() - clock.now() + later);
  state.rights = false;
  await round();
  expect(messages()).toEqual([]);
  expect(await subscriptions.find({ tenantId }, _id)).toMatchObject({ isActive: false, sendingTo: null });
});

it('takes lines of its machine alone where it names one', async () => {
  const { log, round, messages, subscribe, clock } = await open();
  await subscribe({ sourceHost: 'elsewhere' });
  await subscribe({ sourceHost: 'HERE', identityId: 10 });
  log.child({ domain: 'Webhook', tenant: tenantId }).warn('a line');
  await clock.advance(Date.now() - clock.now() + later);
  await round();
  expect(messages()).toHaveLength(1);
  expect(messages()[0]).toContain('of Webhook on HERE');
});
