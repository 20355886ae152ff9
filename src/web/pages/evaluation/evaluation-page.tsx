// Evaluation: experiments that try models and roles on datasets, and the datasets.
import '../../styles/evaluation.css';
import { t } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { Tabs } from '../../ui/tabs.tsx';
import { Datasets } from './datasets.tsx';
import { Experiments } from './experiments.tsx';

export function EvaluationPage() {
  const { query } = useLocation();
  const tab = query.get('tab') === 'datasets' ? 'datasets' : 'experiments';
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Evaluation')}</h1>
      </div>
      <Tabs
        label={t('Evaluation')}
        items={[
          { key: 'experiments', label: t('Experiments') },
          { key: 'datasets', label: t('Datasets') },
        ]}
        active={tab}
        onChange={(key) => patchQuery({ tab: key, page: null })}
      />
      {tab === 'datasets' ? <Datasets /> : <Experiments />}
    </div>
  );
}
