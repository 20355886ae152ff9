import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { UsageMeter } from '../../contract/enums.ts';
import { linesOf } from './costs.ts';
import { contentOf } from './invoices.ts';
import { toMicro } from './money.ts';
import type { PeriodDoc } from './record.ts';

const periodOf = (fields: Partial<PeriodDoc>): PeriodDoc => ({
  _id: '1:0',
  tenantId: 1,
  start: new Date(0),
  end: new Date(1),
  planName: 'Pro',
  monthlyPriceUsd: 0,
  quotas: [],
  days: 30,
  of: 30,
  isFree: false,
  used: {},
  groups: { Project: [], OrgUnit: [], Model: [], Identity: [] },
  createdAt: new Date(0),
  ...fields,
});
const quota = (meter: UsageMeter, included: number, overagePriceUsd: number | null) => ({
  ...{ meter, included, overagePriceUsd, limit: null, hardLimit: false },
});
const plain = { groupBy: 'Meter' as const, creditsUsd: 0, taxPercent: 0, notes: null };

it('has a line for the plan and for what was used above it, none for what is covered', () => {
  const period = periodOf({
    monthlyPriceUsd: 20,
    days: 15,
    quotas: [quota('ModelCalls', 100, 0.01), quota('PromptTokens', 1000, 0.000002), quota('Runs', 5, null)],
    used: { ModelCalls: 150, PromptTokens: 900, Runs: 50 },
  });
  expect(linesOf(period, null).map((one) => [one.description, one.quantity, one.amountMicro])).toEqual([
    ['Plan Pro, 15 of 30 days', 1, 10_000_000],
    ['Model calls above the 100 included', 50, 500_000],
  ]);
});

it('costs nothing in a trial', () => {
  const period = periodOf({ monthlyPriceUsd: 20, isFree: true, quotas: [quota('Runs', 0, 1)], used: { Runs: 3 } });
  expect(contentOf(period, plain)).toMatchObject({ lines: [], totalMicro: 0 });
});

it('divides what is above among those who used it, and says who is nobody', () => {
  const period = periodOf({
    quotas: [quota('ModelCalls', 1, 1)],
    used: { ModelCalls: 4 },
    groups: {
      ...periodOf({}).groups,
      Project: [
        { key: 7, used: { ModelCalls: 2 } },
        { key: 9, used: {} },
        { key: null, used: { ModelCalls: 2 } },
      ],
    },
  });
  expect(linesOf(period, 'Project').map((one) => [one.projectId, one.quantity, one.description])).toEqual([
    [7, 1.5, 'Model calls above the 1 included, project 7'],
    [null, 1.5, 'Model calls above the 1 included, no project'],
  ]);
});

it('gives credit no further than to nothing, and taxes what is left', () => {
  const period = periodOf({ monthlyPriceUsd: 10 });
  const terms = { ...plain, creditsUsd: 4, taxPercent: 19 };
  expect(contentOf(period, terms)).toMatchObject({
    creditsMicro: 4_000_000,
    taxMicro: 1_140_000,
    totalMicro: 7_140_000,
  });
  expect(contentOf(period, { ...terms, creditsUsd: 40 })).toMatchObject({ creditsMicro: 10_000_000, totalMicro: 0 });
});

const amounts = fc.double({ min: 0, max: 1e9, noNaN: true });
const uses = fc.array(fc.record({ key: fc.integer({ min: 1 }), used: fc.record({ PromptTokens: amounts }) }), {
  maxLength: 12,
});

it('adds up: the sum of the lines is the subtotal, however it is divided, and the same twice', () => {
  fc.assert(
    fc.property(
      uses,
      amounts,
      fc.double({ min: 0, max: 10, noNaN: true }),
      amounts,
      (groups, included, price, monthly) => {
        const PromptTokens = groups.reduce((sum, { used }) => sum + used.PromptTokens, 0);
        const period = periodOf({
          monthlyPriceUsd: monthly,
          quotas: [quota('PromptTokens', included, price)],
          used: { PromptTokens },
          groups: { ...periodOf({}).groups, Project: groups },
        });
        const whole = contentOf(period, plain);
        const divided = contentOf(period, { ...plain, groupBy: 'Project' });
        for (const one of [whole, divided])
          expect(one.lines.reduce((sum, { amountMicro }) => sum + amountMicro, 0)).toBe(one.subtotalMicro);
        const over = (of: typeof whole) =>
          of.lines.filter(({ meter }) => meter !== null).reduce((sum, { quantity }) => sum + toMicro(quantity), 0);
        expect(over(divided)).toBe(over(whole));
        expect(JSON.stringify(contentOf(period, { ...plain, groupBy: 'Project' }))).toBe(JSON.stringify(divided));
      },
    ),
  );
});
