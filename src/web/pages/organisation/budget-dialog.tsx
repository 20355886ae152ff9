// Sets the budget of a unit: how much in which period, what it counts, and what happens when it is spent.
import { useState } from 'react';
import type { BudgetAction, BudgetPeriod, OrgUnitBudgetDto, OrgUnitDetailDto } from '../../../client/index.ts';
import { namesOf, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { actionWords } from '../models/budget-dialog.tsx';

const periods: BudgetPeriod[] = ['Hour', 'Day', 'Week', 'Month', 'Quarter', 'Year', 'Lifetime'];
/** To downgrade takes a route, which is given to the budget on the page of models. */
const actions = (now: BudgetAction): BudgetAction[] =>
  now === 'Downgrade' ? ['Notify', 'Downgrade', 'Block'] : ['Notify', 'Block'];

const limitOf = (text: string) => (text.trim() === '' ? null : Number(text));
const textOf = (limit: number | null) => (limit === null ? '' : String(limit));

interface Props {
  unit: OrgUnitDetailDto;
  budget: OrgUnitBudgetDto;
  onClose: () => void;
  onDone: () => void;
}

export function BudgetDialog({ unit, budget, onClose, onDone }: Props) {
  const isNew = budget.budgetId === null;
  const [usd, setUsd] = useState(textOf(budget.limitUsd));
  const [tokens, setTokens] = useState(textOf(budget.limitTokens));
  const [period, setPeriod] = useState<BudgetPeriod>(budget.period);
  const [warnAt, setWarnAt] = useState(String(budget.warnAtPercent));
  const [action, setAction] = useState<BudgetAction>(budget.action);
  const [includeDescendants, setBelow] = useState(budget.includeDescendants);
  const [enabled, setEnabled] = useState(isNew || budget.enabled);
  const save = async () => {
    const limits = { limitUsd: limitOf(usd), limitTokens: limitOf(tokens), warnAtPercent: Number(warnAt) };
    const body = { ...limits, period, action, includeDescendants, enabled };
    await client.orgUnits.setBudget({ params: { id: unit.id }, body });
    onDone();
  };
  return (
    <FormDialog
      title={t('Budget of {name}', { name: unit.name })}
      action={t('Save')}
      ready={usd !== '' || tokens !== ''}
      onSubmit={save}
      onClose={onClose}
    >
      <div className="form-grid">
        <TextField
          name="limitUsd"
          label={t('US dollars')}
          type="number"
          required={false}
          value={usd}
          onChange={setUsd}
          placeholder={t('no limit')}
        />
        <TextField
          name="limitTokens"
          label={t('Tokens')}
          type="number"
          required={false}
          value={tokens}
          onChange={setTokens}
          placeholder={t('no limit')}
        />
        <SelectField label={t('Period')} value={period} onChange={setPeriod} options={namesOf(periods)} />
        <TextField name="warnAtPercent" label={t('Warn at, %')} type="number" value={warnAt} onChange={setWarnAt} />
        <SelectField
          name="action"
          label={t('When exhausted')}
          value={action}
          onChange={setAction}
          options={actions(budget.action).map((one) => [one, t(actionWords[one])] as const)}
        />
      </div>
      <CheckField
        label={t('Counts what the units below spend, too')}
        checked={includeDescendants}
        onChange={setBelow}
      />
      <CheckField label={t('Active')} checked={enabled} onChange={setEnabled} />
    </FormDialog>
  );
}
