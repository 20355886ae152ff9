// The limits of a budget as they are filled in, for the budgets of models and those of units.
import { useState } from 'react';
import type { AIBudgetDto, BudgetPeriod } from '../../client/index.ts';
import { namesOf, t } from '../base/i18n.ts';
import { SelectField, TextField } from '../ui/field.tsx';

const periods: BudgetPeriod[] = ['Hour', 'Day', 'Week', 'Month', 'Quarter', 'Year', 'Lifetime'];

type Limits = Pick<AIBudgetDto, 'limitUsd' | 'limitTokens' | 'period' | 'warnAtPercent'>;

/** Empty for none. */
const limitOf = (text: string) => (text.trim() === '' ? null : Number(text));
const textOf = (limit: number | null | undefined) => (limit == null ? '' : String(limit));

/** What stands in the fields, whether that is a limit, and the limits as they are sent. */
export function useBudgetLimits(budget: Limits | undefined) {
  const [texts, setTexts] = useState({
    usd: textOf(budget?.limitUsd),
    tokens: textOf(budget?.limitTokens),
    period: budget?.period ?? ('Month' as BudgetPeriod),
    warnAt: String(budget?.warnAtPercent ?? 80),
  });
  const { usd, tokens, period, warnAt } = texts;
  return {
    texts,
    set: (change: Partial<typeof texts>) => setTexts({ ...texts, ...change }),
    isLimited: usd !== '' || tokens !== '',
    limits: { limitUsd: limitOf(usd), limitTokens: limitOf(tokens), period, warnAtPercent: Number(warnAt) },
  };
}

/** The fields, for a `form-grid`. */
export function BudgetLimitFields({ texts, set }: Pick<ReturnType<typeof useBudgetLimits>, 'texts' | 'set'>) {
  const { usd, tokens, period, warnAt } = texts;
  return (
    <>
      <TextField
        name="limitUsd"
        label={t('US dollars')}
        type="number"
        required={false}
        value={usd}
        onChange={(text) => set({ usd: text })}
        placeholder={t('no limit')}
      />
      <TextField
        name="limitTokens"
        label={t('Tokens')}
        type="number"
        required={false}
        value={tokens}
        onChange={(text) => set({ tokens: text })}
        placeholder={t('no limit')}
      />
      <SelectField
        label={t('Period')}
        value={period}
        onChange={(next) => set({ period: next })}
        options={namesOf(periods)}
      />
      <TextField
        name="warnAtPercent"
        label={t('Warn at, %')}
        type="number"
        value={warnAt}
        onChange={(text) => set({ warnAt: text })}
      />
    </>
  );
}
