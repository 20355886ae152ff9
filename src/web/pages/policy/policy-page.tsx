// The policy of the tenant: sign-in, sessions, models and tools, limits of runs, retention.
import { formatDate, t, words } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { RecordForm } from '../../ui/record-form.tsx';
import { Loaded } from '../../ui/states.tsx';
import { type Policy, policySections } from './sections.ts';

export function PolicyPage() {
  const policy = useResource('tenant policy', () => client.tenantPolicy.get());
  const save = async (wanted: Policy) => {
    const { version: _, updatedByName: __, updatedAtUtc: ___, ...body } = wanted;
    const saved = await client.tenantPolicy.replace({ body });
    policy.put(() => saved);
  };
  return (
    <div className="page narrow">
      <div className="page-head">
        <h1>{t('Policy')}</h1>
      </div>
      <Loaded resource={policy} rows={12}>
        {(known) => (
          <>
            <p className="muted">
              {known.updatedAtUtc
                ? t('Version {n}, saved by {name} on {date}.', {
                    n: known.version,
                    name: known.updatedByName ?? '–',
                    date: formatDate(known.updatedAtUtc),
                  })
                : t('These are the defaults: nothing was changed yet.')}
            </p>
            <RecordForm
              draft="policy"
              value={known}
              sections={policySections(words)}
              mayChange={may('PolicyWrite')}
              onSave={save}
            />
          </>
        )}
      </Loaded>
    </div>
  );
}
