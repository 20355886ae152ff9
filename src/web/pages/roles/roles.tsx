// Roles: what an agent of each is told, and the budgets that its runs start with.
import { useState } from 'react';
import type { AgentRoleDefinitionDto } from '../../../client/index.ts';
import { formatNumber, formatShort, t } from '../../base/i18n.ts';
import { patchFromHere, patchQuery, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Figures } from '../../ui/figures.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Pick } from '../../ui/pick.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { RoleDialog } from './role-dialog.tsx';

export function Roles() {
  const { query } = useLocation();
  const list = useResource('roles', () => client.agentRoles.list({ query: { pageSize: 200, sort: 'sortOrder' } }));
  const [making, setMaking] = useState(false);
  const chosen = query.get('role');
  return (
    <div className="stack">
      {may('AgentConfigWrite') && (
        <div>
          <Button icon="plus" onClick={() => setMaking(true)}>
            {t('New role')}
          </Button>
        </div>
      )}
      <Loaded resource={list}>
        {({ items }) => {
          const role = items.find((one) => one.name === chosen) ?? items[0];
          if (!role) return <Empty title={t('No roles yet')} />;
          return (
            <div className="two">
              <Pick label={t('Roles')} items={items} chosen={role.id} onPick={(one) => patchQuery({ role: one.name })}>
                {(one) => (
                  <>
                    <strong>{one.displayName}</strong>
                    {one.isSystem && <span className="tag">{t('built-in')}</span>}
                    {!one.enabled && <span className="tag">{t('off')}</span>}
                  </>
                )}
              </Pick>
              <Role key={role.id} role={role} onChange={list.reload} />
            </div>
          );
        }}
      </Loaded>
      {making && <RoleDialog onClose={() => setMaking(false)} onDone={list.reload} />}
    </div>
  );
}

function Role({ role, onChange }: { role: AgentRoleDefinitionDto; onChange: () => void }) {
  const [asking, setAsking] = useState<'edit' | 'delete' | null>(null);
  const remove = async () => {
    const patch = patchFromHere();
    await client.agentRoles.remove({ params: { id: role.id } });
    say(t('Deleted'));
    patch({ role: null });
    onChange();
  };
  return (
    <section className="card">
      <div className="card-head">
        <h2>{role.displayName}</h2>
        <span className="row">
          <span className="muted small">{role.routeSummary ?? role.fallbackModelId ?? t('default model')}</span>
          {may('AgentConfigWrite') && (
            <Button size="small" icon="edit" onClick={() => setAsking('edit')}>
              {t('Change')}
            </Button>
          )}
          {may('AgentConfigWrite') && !role.isSystem && (
            <Button size="small" kind="danger" onClick={() => setAsking('delete')}>
              {t('Delete')}
            </Button>
          )}
        </span>
      </div>
      <div className="card-body stack">
        {role.description && <p>{role.description}</p>}
        <Figures
          items={[
            [t('Turns'), formatNumber(role.defaultMaxIterations)],
            [t('Tokens'), formatShort(role.defaultMaxTokens)],
            [t('Context'), formatShort(role.contextBudgetTokens)],
            [t('Maximum turns'), formatNumber(role.hardIterationCap)],
            [t('Temperature'), role.temperature.toFixed(1)],
          ]}
        />
        <div>
          <span className="small muted">{t('System prompt')}</span>
          <div className="card card-body">
            <Markdown text={role.systemPromptTemplate} />
          </div>
        </div>
      </div>
      {asking === 'edit' && <RoleDialog role={role} onClose={() => setAsking(null)} onDone={onChange} />}
      {asking === 'delete' && (
        <Confirm
          title={t('Delete the role {name}?', { name: role.displayName })}
          action={t('Delete')}
          onConfirm={remove}
          onClose={() => setAsking(null)}
        >
          <p>{t('Runs that use it keep their instructions.')}</p>
        </Confirm>
      )}
    </section>
  );
}
