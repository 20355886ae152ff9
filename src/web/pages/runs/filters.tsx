// Which runs are listed: by words, status, date, cost, role, model and identity. The URL holds it, so that a view can be shared.
import { useState } from 'react';
import { plural, t } from '../../base/i18n.ts';
import { go, patchQuery } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import type { RunFilter } from '../../state/runs.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { UrlChoice } from '../../ui/url-choice.tsx';

const shows = [
  ['', 'All'],
  ['active', 'Active'],
  ['waiting', 'Waiting'],
  ['completed', 'Completed'],
  ['failed', 'Failed'],
  ['cancelled', 'Cancelled'],
] as const;

const countOf = (filter: RunFilter) =>
  [filter.role, filter.modelId, filter.identityId, filter.from, filter.to, filter.minCost].filter(Boolean).length;

export function Filters({ filter, show, total }: { filter: RunFilter; show: string; total: string | null }) {
  const count = countOf(filter);
  const [open, setOpen] = useState(count > 0);
  return (
    <>
      <div className="filters">
        <SearchField label={t('Search goals')} q={filter.q} onSearch={(q) => patchQuery({ q, page: null })} />
        <UrlChoice
          label={t('Status')}
          name="show"
          chosen={show}
          options={shows.map(([key, label]) => [key, t(label)] as const)}
        />
        <Button size="small" pressed={open} onClick={() => setOpen(!open)}>
          {count > 0 ? plural(count, '{n} filter', '{n} filters') : t('Filters')}
        </Button>
        {total !== null && <span className="faint small num">{total}</span>}
      </div>
      {open && <MoreFilters filter={filter} />}
    </>
  );
}

function MoreFilters({ filter }: { filter: RunFilter }) {
  const roles = useResource(may('AgentConfigRead') ? 'filter roles' : null, () =>
    client.agentRoles.list({ query: { pageSize: 200 } }),
  );
  const models = useResource(may('AiRouterRead') ? 'filter models' : null, () =>
    client.aiModels.list({ query: { kind: 'Chat', pageSize: 200 } }),
  );
  const identities = useResource(may('IdentitiesRead') ? 'filter identities' : null, () =>
    client.identities.list({ query: { pageSize: 200, sort: 'name' } }),
  );
  const set = (name: string) => (value: string) => patchQuery({ [name]: value, page: null });
  const any = ['', t('Any')] as const;
  const withOwn = (own: string, known: (readonly [string, string])[]) =>
    own && !known.some(([key]) => key === own) ? [any, [own, own] as const, ...known] : [any, ...known];
  return (
    <div className="more-filters">
      <SelectField
        label={t('Role')}
        value={filter.role}
        onChange={set('role')}
        options={withOwn(filter.role, roles.data?.items.map((one) => [one.name, one.displayName] as const) ?? [])}
      />
      <SelectField
        label={t('Model')}
        value={filter.modelId}
        onChange={set('model')}
        options={withOwn(
          filter.modelId,
          models.data?.items.map((one) => [one.modelId, one.displayName] as const) ?? [],
        )}
      />
      <SelectField
        label={t('Identity')}
        value={filter.identityId}
        onChange={set('identity')}
        options={withOwn(
          filter.identityId,
          identities.data?.items.map((one) => [String(one.id), one.displayName || one.name] as const) ?? [],
        )}
      />
      <TextField label={t('From')} type="date" value={filter.from} onChange={set('from')} />
      <TextField label={t('To')} type="date" value={filter.to} onChange={set('to')} />
      <TextField
        label={t('Cost from, USD')}
        type="number"
        required={false}
        value={filter.minCost}
        onChange={set('minCost')}
      />
      <SelectField
        label={t('Runs')}
        value={filter.rootsOnly ? '' : '1'}
        onChange={set('children')}
        options={[
          ['', t('Top-level only')],
          ['1', t('With children')],
        ]}
      />
      <Button size="small" kind="plain" onClick={() => go('/runs')}>
        {t('Clear filters')}
      </Button>
    </div>
  );
}
