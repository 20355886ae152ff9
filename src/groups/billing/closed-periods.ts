// Closes periods that have ended, each once: all that its invoice is made of is kept then, and never changes.
import type { Collection } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { Meters } from './meters.ts';
import { day, type Period } from './periods.ts';
import type { PeriodDoc, PlanDoc } from './record.ts';

/** How long after its end a period is closed, in ms: calls of it may still be under way. */
export const closingDelayMs = 3_600_000;

interface Deps {
  periods: Collection<PeriodDoc>;
  meters: Meters;
}

const idOf = (tenantId: number, start: number) => `${tenantId}:${start}`;

export const findClosed = (
  periods: Collection<PeriodDoc>,
  tenantId: number,
  start: number,
): Promise<PeriodDoc | null> => periods.findOne({ _id: idOf(tenantId, start) });

/** What was kept of a period when it was closed; it is closed now where nobody has. Two at once keep the same one. */
export async function closePeriod(
  { periods, meters }: Deps,
  tenantId: number,
  { start, end, full }: Period,
  { plan, isFree, now }: { plan: PlanDoc; isFree: boolean; now: number },
): Promise<PeriodDoc> {
  const known = await findClosed(periods, tenantId, start);
  if (known) return known;
  const span = { from: start, to: end };
  const [flows, levels, Project, OrgUnit, Model, Identity] = await Promise.all([
    meters.flows(tenantId, span),
    meters.levels(tenantId),
    meters.flowsBy(tenantId, span, 'Project'),
    meters.flowsBy(tenantId, span, 'OrgUnit'),
    meters.flowsBy(tenantId, span, 'Model'),
    meters.flowsBy(tenantId, span, 'Identity'),
  ]);
  const closed: PeriodDoc = {
    _id: idOf(tenantId, start),
    tenantId,
    start: new Date(start),
    end: new Date(end),
    planName: plan.name,
    monthlyPriceUsd: plan.monthlyPriceUsd,
    quotas: plan.quotas,
    days: Math.min(end - start, full) / day,
    of: full / day,
    isFree,
    used: { ...flows, ...levels },
    groups: { Project, OrgUnit, Model, Identity },
    createdAt: new Date(now),
  };
  try {
    await periods.insertOne(closed);
    return closed;
  } catch (error) {
    const first = isDuplicate(error) && (await findClosed(periods, tenantId, start));
    if (!first) throw error;
    return first;
  }
}
