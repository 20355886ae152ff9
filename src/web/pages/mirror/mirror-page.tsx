// The mirror of an identity: where it felt pulled to please, what it learns from that, and the models that came of it.
import '../../styles/people.css';
import '../../styles/memory.css';
import '../../styles/mirror.css';
import type { ReactNode } from 'react';
import { t } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { useNews } from '../../state/news.ts';
import { type TabItem, Tabs } from '../../ui/tabs.tsx';
import { IdentityField, useChosenIdentity, useIdentities } from '../memory/chosen.tsx';
import { Checkpoints } from './checkpoints.tsx';
import { Datasets } from './datasets.tsx';
import { Drift } from './drift.tsx';
import { Pairs } from './pairs.tsx';
import type { PartProps } from './part-props.ts';
import { Reflections } from './reflections.tsx';
import { Training } from './training.tsx';

const tabs: readonly TabItem<string>[] = [
  { key: 'reflections', label: 'Reflections' },
  { key: 'pairs', label: 'Training pairs' },
  { key: 'datasets', label: 'Datasets' },
  { key: 'runs', label: 'Training runs' },
  { key: 'checkpoints', label: 'Checkpoints' },
  { key: 'drift', label: 'Drift' },
];

const parts: Record<string, (props: PartProps) => ReactNode> = {
  reflections: Reflections,
  pairs: Pairs,
  datasets: Datasets,
  runs: Training,
  checkpoints: Checkpoints,
  drift: Drift,
};

export function MirrorPage() {
  const identities = useIdentities();
  const chosen = useChosenIdentity(identities.data?.items);
  const { query } = useLocation();
  const asked = query.get('tab') ?? 'reflections';
  const tab = asked in parts ? asked : 'reflections';
  const topic = chosen === null ? null : `identity:${chosen}`;
  const news = useNews(topic, ({ type }) => type === 'training.run.updated');
  const Part = parts[tab] ?? Reflections;
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Mirror')}</h1>
      </div>
      <div className="memory-bar">
        <IdentityField identities={identities.data?.items ?? []} chosen={chosen} />
      </div>
      <Tabs
        label={t('Parts of the mirror')}
        items={tabs.map((one) => ({ ...one, label: t(one.label) }))}
        active={tab}
        onChange={(key) => patchQuery({ tab: key === 'reflections' ? null : key, page: null, q: null })}
      />
      {chosen !== null && (
        <div role="tabpanel" aria-label={t(tabs.find(({ key }) => key === tab)?.label ?? '')} className="stack">
          <Part key={chosen} identityId={chosen} news={news} />
        </div>
      )}
    </div>
  );
}
