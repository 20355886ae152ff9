// One fact: what holds, its history on both axes of time, and what was known at any moment.
import { useState } from 'react';
import type { FactDto } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { formatDate, t, words } from '../../base/i18n.ts';
import { patchQuery } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Loaded } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';
import { AsOf, type Moment } from './as-of.tsx';
import { ChangeFact, type HowChanged } from './change-fact.tsx';
import { FactPlane } from './fact-plane.tsx';
import { type Span, spansOf } from './spans.ts';

interface Props {
  projectId: number;
  factKey: string;
  news: number;
  onChange: () => void;
}

export function FactView({ projectId, factKey, news, onChange }: Props) {
  const params = { projectId, key: factKey };
  const history = useKept(
    useResource(`fact ${projectId} ${factKey}`, () => client.facts.history({ params, query: { limit: 500 } })),
  );
  useReloadOn(news, history.reload);
  return (
    <section className="card memory-view" aria-label={t('Fact')}>
      <div className="card-head">
        <h2 className="grow memory-name">{factKey}</h2>
        <IconButton icon="close" label={t('Close the fact')} onClick={() => patchQuery({ key: null })} />
      </div>
      <div className="card-body stack">
        <Loaded resource={history}>
          {(all) => <Shown projectId={projectId} factKey={factKey} history={all} onChange={onChange} />}
        </Loaded>
      </div>
    </section>
  );
}

interface ShownProps {
  projectId: number;
  factKey: string;
  history: readonly FactDto[];
  onChange: () => void;
}

function Shown({ projectId, factKey, history, onChange }: ShownProps) {
  const now = useNow();
  // The picture moves with the minutes, not with the seconds.
  const minute = Math.ceil(now / 60_000) * 60_000;
  const [at, setAt] = useState<Moment | null>(null);
  const current = history.find(({ isCurrent }) => isCurrent) ?? null;
  const spans = spansOf(history);
  return (
    <>
      {current ? (
        <Current fact={current} onChange={onChange} />
      ) : (
        <p className="muted">{t('Nothing holds now; the history has what did.')}</p>
      )}
      <h3>{t('History')}</h3>
      <FactPlane spans={spans} now={minute} at={at} onPick={setAt} />
      <AsOf projectId={projectId} factKey={factKey} at={at} onAsk={setAt} />
      <ol className="memory-changes">
        {[...spans].reverse().map((span) => (
          <Said key={`${span.fact.id} ${span.knownFrom}`} span={span} />
        ))}
      </ol>
    </>
  );
}

function Current({ fact, onChange }: { fact: FactDto; onChange: () => void }) {
  const [asking, setAsking] = useState<HowChanged | null>(null);
  const { busy, act } = useAction();
  const { value, importance, category, provenance, isCritical, validFromUtc } = fact;
  const about = [t('since {date}', { date: formatDate(validFromUtc) }), words(provenance), category];
  const setCritical = () =>
    act(() => client.facts.patch({ params: { id: fact.id }, body: { isCritical: !isCritical } })).then(
      (done) => done && onChange(),
    );
  return (
    <>
      <p className="memory-content">{value}</p>
      <p className="small muted">
        {[...about, t('importance {n} of 10', { n: importance })].filter(Boolean).join(' · ')}
      </p>
      {may('FactsWrite') && (
        <div className="row wrap">
          <Button
            size="small"
            icon="edit"
            tip={t('It was so, and is another way now')}
            onClick={() => setAsking('change')}
          >
            {t('It has changed')}
          </Button>
          <Button size="small" tip={t('It was never so as it is written')} onClick={() => setAsking('correct')}>
            {t('Correct it')}
          </Button>
          <Button size="small" tip={t('It was so, and nothing takes its place')} onClick={() => setAsking('end')}>
            {t('It has ended')}
          </Button>
          <Button
            size="small"
            icon="flag"
            pressed={isCritical}
            disabled={busy}
            tip={t('Critical facts are told to every run and chat of the project')}
            onClick={() => void setCritical()}
          >
            {t('Critical')}
          </Button>
          <Button size="small" kind="danger" onClick={() => setAsking('takeBack')}>
            {t('Take back')}
          </Button>
        </div>
      )}
      {asking && <ChangeFact fact={fact} how={asking} onClose={() => setAsking(null)} onDone={onChange} />}
    </>
  );
}

function Said({ span: { fact, validFrom, validUntil, knownFrom, knownUntil } }: { span: Span }) {
  const holds =
    validUntil === null
      ? t('from {from} on', { from: formatDate(validFrom) })
      : t('from {from} until {until}', { from: formatDate(validFrom), until: formatDate(validUntil) });
  return (
    <li data-retracted={knownUntil !== null || undefined} className="fact-said">
      <p>
        <strong className="value">{fact.value}</strong>{' '}
        {fact.isCurrent && (
          <span className="tag" data-tone="accent">
            {t('holds now')}
          </span>
        )}
        {knownUntil !== null && <span className="tag">{t('corrected')}</span>}
      </p>
      <p className="small muted">{holds}</p>
      <p className="small faint">
        {knownUntil === null
          ? t('known since {at}', { at: formatDate(knownFrom) })
          : t('known from {from} until {until}, never true since', {
              from: formatDate(knownFrom),
              until: formatDate(knownUntil),
            })}
      </p>
    </li>
  );
}
