// Which tools runs of the identity can use in effect, and the layers that make it so.
import { useState } from 'react';
import { plural, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { SelectField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/states.tsx';

export function ToolPolicy({ id }: { id: number }) {
  const [role, setRole] = useState('');
  const roles = useResource('work roles', () => client.agentRoles.list({ query: { pageSize: 200 } }));
  const policy = useKept(
    useResource(`effective tools ${id} ${role}`, () =>
      client.identityProfiles.effectiveTools({ params: { identityId: id }, query: role ? { role } : {} }),
    ),
  );
  return (
    <section className="card" aria-label={t('Effective tool policy')}>
      <div className="card-head">
        <h2>{t('Effective tool policy')}</h2>
      </div>
      <div className="card-body stack">
        <div className="form-grid">
          <SelectField
            label={t('For runs with the role')}
            value={role}
            onChange={setRole}
            options={[['', t('its own')], ...(roles.data?.items ?? []).map(({ name }) => [name, name] as const)]}
          />
        </div>
        <Loaded resource={policy}>
          {({ safeTools, optInTools, blockedTools, appliedLayers }) => (
            <>
              <Tools title={plural(safeTools.length, '{n} tool allowed', '{n} tools allowed')} names={safeTools} />
              <Tools
                title={plural(
                  optInTools.length,
                  '{n} tool needs approval or a request',
                  '{n} tools need approval or a request',
                )}
                names={optInTools}
              />
              <Tools
                title={plural(blockedTools.length, '{n} tool blocked', '{n} tools blocked')}
                names={blockedTools}
              />
              <div>
                <h3>{t('Applied layers')}</h3>
                {appliedLayers.length === 0 ? (
                  <p className="muted">{t('None: all tools are as they are by default.')}</p>
                ) : (
                  <ol className="plain-list">
                    {appliedLayers.map((layer) => (
                      <li key={layer}>{layer}</li>
                    ))}
                  </ol>
                )}
              </div>
            </>
          )}
        </Loaded>
      </div>
    </section>
  );
}

function Tools({ title, names }: { title: string; names: readonly string[] }) {
  return (
    <div>
      <h3>{title}</h3>
      <p className="row wrap tags">
        {names.map((name) => (
          <span key={name} className="tag mono">
            {name}
          </span>
        ))}
      </p>
    </div>
  );
}
