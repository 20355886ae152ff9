// Sets the budget of a unit: how much in which period, what it counts, and what happens when it is spent.
import { useState } from 'react';
import type { BudgetAction, OrgUnitBudgetDto, OrgUnitDetailDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { CheckField, SelectField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { BudgetLimitFields, useBudgetLimits } from '../budget-limits.tsx';
import { actionWords } from '../models/budget-dialog.tsx';

/** To downgrade takes a route, which is given to the budget on the page of models. */
const actions = (now: BudgetAction): BudgetAction[] =>
  now === 'Downgrade' ? ['Notify', 'Downgrade', 'Block'] : ['Notify', 'Block'];

interface Props {
  unit: OrgUnitDetailDto;
  budget: OrgUnitBudgetDto;
  onClose: () => void;
  onDone: () => void;
}

export function BudgetDialog({ unit, budget, onClose, onDone }: Props) {
  const isNew = budget.budgetId === null;
  const { limits, isLimited, ...fields } = useBudgetLimits(budget);
  const [action, setAction] = useState<BudgetAction>(budget.action);
  const [includeDescendants, setBelow] = useState(budget.includeDescendants);
  const [enabled, setEnabled] = useState(isNew || budget.enabled);
  const save = async () => {
    const body = { ...limits, action, includeDescendants, enabled };
    await client.orgUnits.setBudget({ params: { id: unit.id }, body });
    onDone();
  };
  return (
    <FormDialog
      title={t('Budget of {name}', { name: unit.name })}
      action={t('Save')}
      ready={isLimited}
      onSubmit={save}
      onClose={onClose}
    >
      <div className="form-grid">
        <BudgetLimitFields {...fields} />
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
