// One experiment: what came out, with how sure that is, and each case with its answer.
import '../../styles/evaluation.css';
import { useState } from 'react';
import type { ExperimentDto } from '../../../client/index.ts';
import { formatCost, t } from '../../base/i18n.ts';
import { goFromHere } from '../../base/router.ts';
import { useTitle } from '../../base/title.ts';
import { client, may } from '../../state/app.ts';
import { useEvery } from '../../state/every.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Meter } from '../../ui/meter.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { State } from '../../ui/status.tsx';
import { useAction } from '../../ui/use-action.ts';
import type { PageProps } from '../page-props.ts';
import { Cases } from './cases.tsx';
import { Results } from './results.tsx';

export function ExperimentPage({ params }: PageProps) {
  const id = Number(params.id);
  const found = useKept(useResource(`experiment ${id}`, () => client.experiments.get({ params: { id } })));
  useEvery(found.reload);
  useTitle(found.data?.name ?? t('Experiment'));
  if (found.error && !found.data)
    return (
      <Failure
        isPage
        error={found.error}
        retry={found.reload}
        back={{ href: '#/evaluation', label: t('All experiments') }}
      />
    );
  return (
    <div className="page">
      <Loaded resource={found}>
        {(experiment) => (
          <>
            <Head experiment={experiment} onChange={found.reload} />
            <Results experiment={experiment} />
            <Cases experiment={experiment} onChange={found.reload} />
          </>
        )}
      </Loaded>
    </div>
  );
}

function Head({ experiment, onChange }: { experiment: ExperimentDto; onChange: () => void }) {
  const { id, name, status, reason, endedCount, caseCount, costUsd, maxCostUsd } = experiment;
  const { busy, act } = useAction();
  const [asking, setAsking] = useState<'budget' | 'delete' | null>(null);
  const params = { id };
  const start = (body?: { maxCostUsd: number }) =>
    client.experiments.start({ params, ...(body ? { body } : {}) }).then(onChange);
  const remove = async () => {
    const goOn = goFromHere();
    await client.experiments.remove({ params });
    goOn('/evaluation');
  };
  const cancel = () => act(() => client.experiments.cancel({ params }).then(onChange));
  return (
    <>
      <div className="page-head">
        <h1>{name}</h1>
        <State name={status} />
        {may('RunsWrite') && (
          <div className="row">
            {status === 'Running' ? (
              <Button disabled={busy} onClick={cancel}>
                {t('Stop')}
              </Button>
            ) : (
              <>
                {status === 'BudgetExhausted' && (
                  <Button kind="primary" onClick={() => setAsking('budget')}>
                    {t('Raise the budget')}
                  </Button>
                )}
                {(status === 'Draft' || status === 'Cancelled' || status === 'Failed') && (
                  <Button kind="primary" icon="play" disabled={busy} onClick={() => act(() => start())}>
                    {t('Start')}
                  </Button>
                )}
                <Button onClick={() => setAsking('delete')}>{t('Delete')}</Button>
              </>
            )}
          </div>
        )}
      </div>
      {reason && <p className="muted">{reason}</p>}
      <div className="evaluation-meters">
        <Meter label={t('Cases')} used={endedCount} limit={caseCount} />
        <Meter label={t('Cost')} used={costUsd} limit={maxCostUsd} format={formatCost} />
      </div>
      {asking === 'budget' && (
        <Budget now={maxCostUsd} onRaise={(more) => start({ maxCostUsd: more })} onClose={() => setAsking(null)} />
      )}
      {asking === 'delete' && (
        <Confirm
          title={t('Delete the experiment {name}?', { name })}
          action={t('Delete')}
          onConfirm={remove}
          onClose={() => setAsking(null)}
        >
          <p>{t('Its results and scores go with it; its runs stay.')}</p>
        </Confirm>
      )}
    </>
  );
}

interface BudgetProps {
  now: number;
  onRaise: (maxCostUsd: number) => Promise<void>;
  onClose: () => void;
}

function Budget({ now, onRaise, onClose }: BudgetProps) {
  const [amount, setAmount] = useState(String(now * 2));
  return (
    <FormDialog
      title={t('Raise the budget')}
      action={t('Go on')}
      ready={Number(amount) > now}
      onSubmit={() => onRaise(Number(amount))}
      onClose={onClose}
    >
      <TextField
        name="maxCostUsd"
        label={t('May cost, in dollars')}
        type="number"
        value={amount}
        onChange={setAmount}
      />
    </FormDialog>
  );
}
