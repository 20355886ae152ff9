// Makes a budget, or changes one: for what, how much, and what happens when it is spent.
import { useState } from 'react';
import type { AIBudgetDto, AIBudgetScope, BudgetAction } from '../../../client/index.ts';
import { t, words } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { BudgetLimitFields, useBudgetLimits } from '../budget-limits.tsx';

const scopes: AIBudgetScope[] = ['Tenant', 'Role', 'Model', 'Provider', 'Route', 'Identity', 'User', 'Project'];
/** What is done when a budget is spent. */
export const actionWords: Record<BudgetAction, string> = {
  Notify: 'Warn only',
  Downgrade: 'Downgrade to another route',
  Block: 'Block calls',
};

/** Scopes that are named; the others have an id. */
const isNamed = (scope: AIBudgetScope) => scope === 'Role' || scope === 'Model';

interface Props {
  budget?: AIBudgetDto;
  onClose: () => void;
  onDone: () => void;
}

export function BudgetDialog({ budget, onClose, onDone }: Props) {
  const [name, setName] = useState(budget?.name ?? '');
  const [scope, setScope] = useState<AIBudgetScope>(budget?.scope ?? 'Tenant');
  const [which, setWhich] = useState('');
  const { limits, isLimited, ...fields } = useBudgetLimits(budget);
  const [enabled, setEnabled] = useState(budget?.enabled ?? true);
  const [spent, setSpent] = useState({ action: budget?.action ?? 'Notify', routeId: budget?.downgradeRouteId ?? null });
  const save = async () => {
    const common = {
      name,
      ...limits,
      action: spent.action,
      downgradeRouteId: spent.action === 'Downgrade' ? spent.routeId : null,
      enabled,
    };
    const what = scope === 'Tenant' ? {} : isNamed(scope) ? { scopeKey: which } : { scopeId: Number(which) };
    if (budget) await client.aiBudgets.patch({ params: { id: budget.id }, body: common });
    else await client.aiBudgets.create({ body: { ...common, scope, ...what } });
    onDone();
  };
  const aimed = budget !== undefined || scope === 'Tenant' || which.trim() !== '';
  return (
    <FormDialog
      title={budget ? t('Change {name}', { name: budget.name }) : t('New budget')}
      action={t('Save')}
      ready={name.trim() !== '' && aimed && isLimited}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField label={t('Name')} value={name} onChange={setName} required />
      {!budget && <Scope scope={scope} which={which} onScope={setScope} onWhich={setWhich} />}
      <div className="form-grid">
        <BudgetLimitFields {...fields} />
      </div>
      <WhenSpent {...spent} onChange={setSpent} />
      <CheckField label={t('Active')} checked={enabled} onChange={setEnabled} />
    </FormDialog>
  );
}

interface ScopeProps {
  scope: AIBudgetScope;
  which: string;
  onScope: (scope: AIBudgetScope) => void;
  onWhich: (which: string) => void;
}

function Scope({ scope, which, onScope, onWhich }: ScopeProps) {
  return (
    <div className="form-grid">
      <SelectField
        label={t('Scope')}
        value={scope}
        onChange={onScope}
        options={scopes.map((one) => [one, one === 'Tenant' ? t('All calls') : words(one)] as const)}
      />
      {scope !== 'Tenant' && (
        <TextField
          name={isNamed(scope) ? 'scopeKey' : 'scopeId'}
          label={isNamed(scope) ? t('Scope name') : t('Scope ID')}
          value={which}
          onChange={onWhich}
          type={isNamed(scope) ? 'text' : 'number'}
          placeholder={scope === 'Model' ? 'openai:gpt-5-mini' : ''}
          required
        />
      )}
    </div>
  );
}

interface Spent {
  action: BudgetAction;
  routeId: number | null;
}

function WhenSpent({ action, routeId, onChange }: Spent & { onChange: (spent: Spent) => void }) {
  const routes = useResource(action === 'Downgrade' ? 'budget routes' : null, () =>
    client.aiRoutes.list({ query: { enabled: true, pageSize: 100 } }),
  );
  const known = routes.data?.items.map((route) => [String(route.id), route.name] as const) ?? [];
  return (
    <div className="form-grid">
      <SelectField
        label={t('When exhausted')}
        value={action}
        onChange={(next) => onChange({ action: next, routeId })}
        options={Object.entries(actionWords).map(([one, text]) => [one as BudgetAction, t(text)] as const)}
      />
      {action === 'Downgrade' && (
        <SelectField
          label={t('Downgrade to')}
          value={String(routeId ?? '')}
          onChange={(id) => onChange({ action, routeId: Number(id) || null })}
          options={[['', t('select one')], ...known]}
        />
      )}
    </div>
  );
}
