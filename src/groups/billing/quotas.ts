// Asks the plan of a tenant before new work begins: what was read of it holds for a second.
import type { SubscriptionStatus, UsageMeter } from '../../contract/enums.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { createLru } from '../../kernel/lru.ts';
import type { Db } from '../../ports/db.ts';
import type { Adding, Quotas } from '../../ports/quotas.ts';
import { meters as about, type Meters } from './meters.ts';
import type { Plans } from './plans.ts';
import { subscriptionRecord, type Used } from './record.ts';
import { periodNow, planIdAt } from './subscribed.ts';

/** How long what was read holds, in ms; bounds how late a change of the plan is seen. */
const cacheMs = 1000;

interface Deps {
  db: Db;
  clock: Clock;
  plans: Plans;
  meters: Pick<Meters, 'flows' | 'levels'>;
}

/** How a tenant stands. */
interface Standing {
  status: SubscriptionStatus;
  planName: string;
  /** ms since 1970 UTC. */
  periodEnd: number;
  /** Hard limits of its plan. */
  limits: ReadonlyMap<UsageMeter, number>;
  /** What was used when it was read, and what has been asked for since then. */
  used: Used;
}

export function createQuotas({ db, clock, plans, meters }: Deps): Quotas {
  const subscriptions = db.collection(subscriptionRecord.spec);
  const known = createLru<number, Promise<Standing>>(10_000, { ttl: cacheMs, clock });

  const read = async (tenantId: number): Promise<Standing> => {
    const found = await subscriptions.findOne({ tenantId });
    const plan = found ? await plans.get(planIdAt(found, clock.now())) : await plans.default();
    const period = periodNow(found, clock.now());
    const hard = (plan?.quotas ?? []).filter(({ hardLimit, limit }) => hardLimit && limit !== null);
    const limits = new Map(hard.map(({ meter, limit }) => [meter, limit as number]));
    const hasAny = (isLevel: boolean) => hard.some(({ meter }) => (about[meter].kind === 'level') === isLevel);
    const span = { from: period.start, to: period.end };
    const [flows, levels] = await Promise.all([
      hasAny(false) ? meters.flows(tenantId, span) : {},
      hasAny(true) ? meters.levels(tenantId) : {},
    ]);
    const status = found?.status ?? 'Active';
    return { status, planName: plan?.name ?? '', periodEnd: period.end, limits, used: { ...flows, ...levels } };
  };

  const standingOf = (tenantId: number): Promise<Standing> => {
    const there = known.get(tenantId);
    if (there) return there;
    const reading = read(tenantId);
    known.set(tenantId, reading);
    reading.catch(() => known.delete(tenantId));
    return reading;
  };

  return {
    async require(tenantId, adding) {
      const standing = await standingOf(tenantId);
      requireWorking(standing);
      for (const [meter, more] of entriesOf(adding)) requireRoom(standing, meter, more);
      for (const [meter, more] of entriesOf(adding)) standing.used[meter] = (standing.used[meter] ?? 0) + more;
    },
  };
}

const entriesOf = (adding: Adding) => Object.entries(adding) as [UsageMeter, number][];

function requireWorking({ status }: Standing): void {
  if (status === 'Suspended')
    throw new Fault('QUOTA_EXCEEDED', 'The subscription is suspended: an invoice was not paid in time.', {
      hint: 'Pay the open invoices (GET /api/billing/invoices?status=Open); everything can be read meanwhile.',
    });
  if (status === 'Cancelled')
    throw new Fault('QUOTA_EXCEEDED', 'The subscription is cancelled.', {
      hint: 'Choose a plan with PUT /api/billing/subscription; everything can be read meanwhile.',
    });
}

function requireRoom({ limits, used, planName, periodEnd }: Standing, meter: UsageMeter, more: number): void {
  const limit = limits.get(meter);
  if (limit === undefined) return;
  const now = used[meter] ?? 0;
  if (more > 0 ? now + more <= limit : now < limit) return;
  const { kind, unit } = about[meter];
  const until = kind === 'level' ? 'or remove some' : `or wait until ${new Date(periodEnd).toISOString()}`;
  throw new Fault('QUOTA_EXCEEDED', `The plan ${planName} allows ${limit} ${unit} (${meter}); ${now} are used.`, {
    hint: `Choose another plan with PUT /api/billing/subscription, ${until}. GET /api/billing/usage has the figures.`,
  });
}
