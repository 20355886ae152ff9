// Training pairs: one at a time with both answers side by side, judged by keys; and what brings new ones.
import { useState } from 'react';
import type { CurationStatus, TrainingPairDto, TrainingPairListDto } from '../../../client/index.ts';
import { formatDate, namesOf, plural, t, words } from '../../base/i18n.ts';
import { useShortcuts } from '../../base/keys.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useEvery } from '../../state/every.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField } from '../../ui/field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { UrlChoice } from '../../ui/url-choice.tsx';
import { useAction } from '../../ui/use-action.ts';
import type { PartProps } from './part-props.ts';
import { Sides } from './sides.tsx';

const statuses: readonly CurationStatus[] = ['Draft', 'Approved', 'Rejected', 'Used'];
const pageSize = 50;

export function Pairs({ identityId }: PartProps) {
  const { query } = useLocation();
  const curationStatus = statuses.find((one) => one === query.get('status')) ?? 'Draft';
  const list = useKept(
    useResource(`pairs ${identityId} ${curationStatus}`, () =>
      client.trainingPairs.list({ params: { identityId }, query: { curationStatus, pageSize, sort: 'createdAtUtc' } }),
    ),
  );
  useEvery(list.reload);
  return (
    <>
      <div className="filters">
        <UrlChoice label={t('Status')} name="status" chosen={curationStatus} options={namesOf(statuses)} />
        {may('MirrorWrite') && <Harvests identityId={identityId} onDone={list.reload} />}
      </div>
      <Loaded resource={list}>
        {({ items, totalCount }) =>
          items.length === 0 ? (
            <Empty title={t('No such training pairs')}>
              {t(
                'Drafts come of reflections, of ratings and of decided escalations. What a person approves can be trained on.',
              )}
            </Empty>
          ) : (
            <Curation key={curationStatus} pairs={items} total={totalCount} onDone={list.reload} />
          )
        }
      </Loaded>
    </>
  );
}

function Harvests({ identityId, onDone }: { identityId: number; onDone: () => void }) {
  const { busy, act } = useAction();
  const from = (how: 'harvestEscalations' | 'harvestRatings') =>
    act(async () => {
      const { created } = await client.trainingPairs[how]({ params: { identityId }, body: {} });
      say(plural(created, '{n} new draft', '{n} new drafts'));
      onDone();
    });
  return (
    <div className="row wrap">
      <Button disabled={busy} onClick={() => void from('harvestRatings')}>
        {t('From ratings')}
      </Button>
      <Button disabled={busy} onClick={() => void from('harvestEscalations')}>
        {t('From escalations')}
      </Button>
    </div>
  );
}

interface CurationProps {
  pairs: readonly TrainingPairListDto[];
  total: number;
  onDone: () => void;
}

function Curation({ pairs, total, onDone }: CurationProps) {
  const { query } = useLocation();
  const asked = Number(query.get('pair'));
  const at = Math.max(
    0,
    pairs.findIndex(({ id }) => id === asked),
  );
  const chosen = pairs[at] as TrainingPairListDto;
  const turn = (step: number) => {
    const next = pairs[at + step];
    if (next) patchQuery({ pair: next.id });
  };
  const curated = () => {
    const next = pairs[at + 1] ?? pairs[at - 1];
    patchQuery({ pair: next?.id ?? null });
    onDone();
  };
  useShortcuts([
    { keys: 'j', label: t('Next pair'), run: () => turn(1) },
    { keys: 'k', label: t('Pair before'), run: () => turn(-1) },
  ]);
  return (
    <div className="stack">
      <div className="row wrap">
        <Button size="small" icon="back" disabled={at === 0} onClick={() => turn(-1)} tip="k">
          {t('Before')}
        </Button>
        <span className="num muted" aria-live="polite">
          {t('{n} of {total}', { n: at + 1, total })}
        </span>
        <Button size="small" icon="chevron" disabled={at === pairs.length - 1} onClick={() => turn(1)} tip="j">
          {t('Next')}
        </Button>
      </div>
      <PairView key={chosen.id} id={chosen.id} onCurated={curated} />
    </div>
  );
}

function PairView({ id, onCurated }: { id: number; onCurated: () => void }) {
  const one = useResource(`pair ${id}`, () => client.trainingPairs.get({ params: { id } }));
  return <Loaded resource={one}>{(pair) => <Judged pair={pair} onCurated={onCurated} />}</Loaded>;
}

function Judged({ pair, onCurated }: { pair: TrainingPairDto; onCurated: () => void }) {
  const { busy, act } = useAction();
  const [looked, setLooked] = useState(false);
  const isFlagged = pair.scrubFlags.length > 0;
  const judge = (how: 'approve' | 'reject') =>
    act(async () => {
      const acceptFlags = how === 'approve' && looked ? { acceptFlags: true } : {};
      await client.trainingPairs[how]({ body: { pairIds: [pair.id], ...acceptFlags } });
      say(how === 'approve' ? t('Approved') : t('Rejected'));
      onCurated();
    });
  const mayApprove = may('TrainingApprove') && ['Draft', 'Rejected'].includes(pair.curationStatus);
  const mayReject = may('TrainingApprove') && ['Draft', 'Approved'].includes(pair.curationStatus);
  const open = mayApprove && !busy && (!isFlagged || looked);
  useShortcuts([
    { keys: 'a', label: t('Approve the pair'), run: () => open && void judge('approve') },
    { keys: 'x', label: t('Reject the pair'), run: () => mayReject && !busy && void judge('reject') },
  ]);
  return (
    <article className="card card-body stack" aria-label={t('Training pair {id}', { id: pair.id })}>
      {pair.systemPrompt && <p className="small muted">{pair.systemPrompt}</p>}
      <p className="pair-prompt">{pair.userPrompt}</p>
      <Sides left={[t('Chosen answer'), pair.chosenResponse]} right={[t('Rejected answer'), pair.rejectedResponse]} />
      <p className="small muted">
        {words(pair.objective)} · {pair.curatorName ?? words(pair.curatorType)} · {formatDate(pair.createdAtUtc)}
        {pair.sourceReference && ` · ${pair.sourceReference}`}
        {pair.curationNotes && ` · ${pair.curationNotes}`}
      </p>
      {isFlagged && (
        <div className="stack">
          <p>{t('Found in its texts: {flags}.', { flags: pair.scrubFlags.join(', ') })}</p>
          <CheckField label={t('I have looked: it may be trained on')} checked={looked} onChange={setLooked} />
        </div>
      )}
      <div className="row wrap">
        {mayApprove && (
          <Button kind="primary" icon="check" disabled={!open} onClick={() => void judge('approve')} tip="a">
            {t('Approve')}
          </Button>
        )}
        {mayReject && (
          <Button icon="close" disabled={busy} onClick={() => void judge('reject')} tip="x">
            {t('Reject')}
          </Button>
        )}
      </div>
    </article>
  );
}
