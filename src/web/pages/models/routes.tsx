// Routes: which model answers whom, and why, explained on demand.
import { useState } from 'react';
import type { AIRouteDecisionDto, AIRouteDto } from '../../../client/index.ts';
import { t, words } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { sayError } from '../../ui/toast.tsx';
import { DecisionView } from './decision-view.tsx';
import { RouteDialog } from './route-dialog.tsx';

export function Routes() {
  const list = useResource('routes', () => client.aiRoutes.list({ query: { pageSize: 100 } }));
  const [making, setMaking] = useState(false);
  return (
    <div className="stack">
      {may('AiRouterWrite') && (
        <div>
          <Button icon="plus" onClick={() => setMaking(true)}>
            {t('New route')}
          </Button>
        </div>
      )}
      <Loaded resource={list}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('No routes yet')}>
              {t('Without a default route, the first configured provider is used.')}
            </Empty>
          ) : (
            <div className="cards-2">
              {items.map((one) => (
                <Route key={one.id} route={one} onChange={list.reload} />
              ))}
            </div>
          )
        }
      </Loaded>
      {making && <RouteDialog onClose={() => setMaking(false)} onDone={list.reload} />}
    </div>
  );
}

function Route({ route, onChange }: { route: AIRouteDto; onChange: () => void }) {
  const [asking, setAsking] = useState<'edit' | 'delete' | null>(null);
  const remove = () => client.aiRoutes.remove({ params: { id: route.id } }).then(onChange);
  const [decision, setDecision] = useState<AIRouteDecisionDto | null>(null);
  const explain = () => client.aiRoutes.explain({ params: { id: route.id }, body: {} }).then(setDecision, sayError);
  return (
    <section className="card">
      <div className="card-head">
        <span className="row">
          <h2>{route.name}</h2>
          {route.isDefault && <span className="tag">{t('default')}</span>}
        </span>
        <span className="muted small">{words(route.policy)}</span>
      </div>
      <div className="card-body stack">
        {route.description && <p className="muted">{route.description}</p>}
        <ol className="stack tight">
          {route.targets.map((target) => (
            <li key={target.aiModelId} className="row">
              <span className="faint num">{target.priority}</span>
              <span className="mono grow truncate">{target.modelId ?? target.aiModelId}</span>
              <span className="faint small">{t('weight {n}', { n: target.weight })}</span>
            </li>
          ))}
        </ol>
        {route.matchRoles.length > 0 && (
          <div className="small muted">
            {t('Roles')}{' '}
            {route.matchRoles.map((role) => (
              <span key={role} className="tag">
                {role}
              </span>
            ))}
          </div>
        )}
        <div className="row wrap">
          <Button size="small" onClick={() => void explain()}>
            {t('Explain')}
          </Button>
          {may('AiRouterWrite') && (
            <>
              <Button size="small" icon="edit" onClick={() => setAsking('edit')}>
                {t('Change')}
              </Button>
              <Button size="small" kind="danger" onClick={() => setAsking('delete')}>
                {t('Delete')}
              </Button>
            </>
          )}
        </div>
        {decision && <DecisionView decision={decision} />}
      </div>
      {asking === 'edit' && <RouteDialog route={route} onClose={() => setAsking(null)} onDone={onChange} />}
      {asking === 'delete' && (
        <Confirm
          title={t('Delete the route {name}?', { name: route.name })}
          action={t('Delete')}
          onConfirm={remove}
          onClose={() => setAsking(null)}
        >
          <p>{t('The next route that matches takes its calls.')}</p>
        </Confirm>
      )}
    </section>
  );
}
