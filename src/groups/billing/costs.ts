// What a period costs: the share of the price, and what was used above what it covers. Pure.
import type { UsageMeter } from '../../contract/enums.ts';
import type { PlanQuotaDto } from './dto.ts';
import { meters } from './meters.ts';
import { amountOf, divided, rounded, shareOf } from './money.ts';
import type { LineDoc, PeriodDoc, UsageGroup, Used } from './record.ts';

/** What was used above what is included. */
export const overageOf = ({ included }: PlanQuotaDto, used: number): number => Math.max(0, rounded(used - included));

/** What that costs, in micro-dollars. */
export const overageCost = (quota: PlanQuotaDto, used: number): number =>
  amountOf(overageOf(quota, used), quota.overagePriceUsd ?? 0);

/** The sum of what all quotas cost for what was used, in micro-dollars. */
export const overageCosts = (quotas: readonly PlanQuotaDto[], used: Used): number =>
  quotas.reduce((sum, quota) => sum + overageCost(quota, used[quota.meter] ?? 0), 0);

const nowhere = { projectId: null, orgUnitId: null, modelId: null };

/**
 * The lines of a period. Those of a meter are divided by project, unit, model or identity in proportion to what each has
 * used; what cannot be divided so is one line. Each line is rounded once.
 */
export function linesOf(period: PeriodDoc, group: UsageGroup | null): LineDoc[] {
  if (period.isFree) return [];
  const base = baseLine(period);
  return [...(base ? [base] : []), ...period.quotas.flatMap((quota) => quotaLines(period, quota, group))];
}

function baseLine({ planName, monthlyPriceUsd, days, of }: PeriodDoc): LineDoc | null {
  if (monthlyPriceUsd === 0) return null;
  const part = days === of ? '' : `, ${days} of ${of} days`;
  const amountMicro = shareOf(monthlyPriceUsd, days, of);
  return {
    description: `Plan ${planName}${part}`,
    meter: null,
    quantity: 1,
    unitPriceUsd: amountMicro / 1_000_000,
    amountMicro,
    ...nowhere,
  };
}

function quotaLines(period: PeriodDoc, quota: PlanQuotaDto, group: UsageGroup | null): LineDoc[] {
  const { meter, overagePriceUsd } = quota;
  const overage = overageOf(quota, period.used[meter] ?? 0);
  if (!overagePriceUsd || overage === 0) return [];
  const line = (quantity: number, of: string, place: Partial<typeof nowhere> | object = {}): LineDoc => ({
    description: `${wordsOf(meter)} above the ${quota.included} included${of}`,
    meter,
    quantity,
    unitPriceUsd: overagePriceUsd,
    amountMicro: amountOf(quantity, overagePriceUsd),
    ...nowhere,
    ...place,
  });
  const shares = group === null ? [] : period.groups[group].filter(({ used }) => (used[meter] ?? 0) > 0);
  if (group === null || shares.length === 0) return [line(overage, '')];
  const quantities = divided(
    overage,
    shares.map(({ used }) => used[meter] ?? 0),
  );
  return shares.flatMap(({ key }, at) => {
    const quantity = quantities[at] ?? 0;
    return quantity === 0 ? [] : [line(quantity, `, ${nameOf(group, key)}`, placeOf(group, key))];
  });
}

/** `PromptTokens` → `Prompt tokens`. */
const wordsOf = (meter: UsageMeter): string => {
  const words = meter.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ');
  return words.slice(0, 1) + words.slice(1).toLowerCase().replace('usd', `(${meters[meter].unit})`);
};

const groupWords: Record<UsageGroup, string> = {
  Project: 'project',
  OrgUnit: 'unit',
  Model: 'model',
  Identity: 'identity',
};

const nameOf = (group: UsageGroup, key: number | string | null): string =>
  key === null ? `no ${groupWords[group]}` : `${groupWords[group]} ${key}`;

function placeOf(group: UsageGroup, key: number | string | null): object {
  switch (group) {
    case 'Project':
      return { projectId: key };
    case 'OrgUnit':
      return { orgUnitId: key };
    case 'Model':
      return { modelId: key };
    case 'Identity':
      // Lines have no field for it: their text names it.
      return {};
    default:
      return group satisfies never;
  }
}
