// What an identity cares about: as it was declared, and as its memories show.
import '../../styles/people.css';
import '../../styles/memory.css';
import { useState } from 'react';
import type { InterestDto } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { formatAgo, formatPercent, t, words } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useEvery } from '../../state/every.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useDraftRecord } from '../../ui/use-draft-record.ts';
import { IdentityField, useChosenIdentity, useIdentities } from './chosen.tsx';
import { SectionLinks } from './section-links.tsx';

const most = 200;

export function InterestsPage() {
  const identities = useIdentities();
  const identityId = useChosenIdentity(identities.data?.items);
  const [asking, setAsking] = useState<InterestDto | 'new' | null>(null);
  const list = useKept(
    useResource(identityId === null ? null : `interests ${identityId}`, () =>
      client.interests.list({ params: { identityId: identityId ?? 0 }, query: { limit: most } }),
    ),
  );
  useEvery(list.reload);
  const columns = columnsOf(useNow(), setAsking);
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Interests')}</h1>
        {may('IdentitiesWrite') && identityId !== null && (
          <Button kind="primary" icon="plus" onClick={() => setAsking('new')}>
            {t('New interest')}
          </Button>
        )}
      </div>
      <SectionLinks />
      <div className="memory-bar">
        <IdentityField identities={identities.data?.items ?? []} chosen={identityId} />
      </div>
      <Loaded resource={list}>
        {(interests) =>
          interests.length === 0 ? (
            <Empty title={t('No interests yet')}>
              {t(
                'Declare what the identity cares about: its runs are told of it. More is inferred from what it remembers, and fades when it is not spoken of.',
              )}
            </Empty>
          ) : (
            <Table rows={interests} keyOf={({ id }) => id} columns={columns} />
          )
        }
      </Loaded>
      {asking && identityId !== null && (
        <InterestDialog
          identityId={identityId}
          known={list.data ?? []}
          {...(asking === 'new' ? {} : { one: asking })}
          onClose={() => setAsking(null)}
          onDone={list.reload}
        />
      )}
    </div>
  );
}

const columnsOf = (now: number, onChange: (one: InterestDto) => void): Column<InterestDto>[] => [
  {
    head: t('Interest'),
    className: 'wide',
    cell: ({ topic, notes }) => (
      <>
        <strong>{topic}</strong>
        {notes && <div className="small muted">{notes}</div>}
      </>
    ),
  },
  {
    head: t('Weight'),
    cell: ({ weight }) => (
      <span className="row num">
        <progress value={weight} max={1} aria-label={t('Weight')} />
        {formatPercent(weight)}
      </span>
    ),
  },
  { head: t('Source'), cell: ({ source }) => words(source) },
  { head: t('Mentions'), num: true, cell: ({ mentionCount }) => mentionCount },
  {
    head: t('Last spoken of'),
    className: 'small nowrap',
    cell: ({ lastReinforcedAtUtc }) => (lastReinforcedAtUtc ? formatAgo(lastReinforcedAtUtc, now) : '–'),
  },
  {
    head: '',
    num: true,
    cell: (one) =>
      may('IdentitiesWrite') && (
        <Button size="small" icon="edit" onClick={() => onChange(one)}>
          {one.source === 'Declared' ? t('Change') : t('Declare')}
        </Button>
      ),
  },
];

interface DialogProps {
  identityId: number;
  known: readonly InterestDto[];
  one?: InterestDto;
  onClose: () => void;
  onDone: () => void;
}

/** The declared ones are replaced as a whole; an empty topic takes one away. */
function InterestDialog({ identityId, known, one, onClose, onDone }: DialogProps) {
  const { written, write, clear } = useDraftRecord(`interest.${identityId}.${one?.id ?? 'new'}`, {
    topic: one?.topic ?? '',
    percent: String(Math.round((one?.weight ?? 0.5) * 100)),
    notes: one?.notes ?? '',
  });
  const put = async (withThis: boolean) => {
    const others = known.filter(({ id, source }) => source === 'Declared' && id !== one?.id);
    const weight = Math.min(1, Math.max(0, Number(written.percent) / 100));
    const own = withThis ? [{ topic: written.topic, weight, notes: written.notes.trim() || null }] : [];
    const interests = [...others.map(({ topic, weight, notes }) => ({ topic, weight, notes })), ...own];
    await client.interests.replace({ params: { identityId }, body: { interests, keepInferred: true } });
    clear();
    onDone();
  };
  const isDeclared = one?.source === 'Declared';
  return (
    <FormDialog
      title={one ? t('Change the interest') : t('New interest')}
      action={written.topic.trim() === '' && isDeclared ? t('Take it away') : t('Save')}
      ready={isDeclared || written.topic.trim() !== ''}
      onSubmit={() => put(written.topic.trim() !== '')}
      onClose={onClose}
      onDiscard={clear}
    >
      <TextField
        label={t('Interest')}
        value={written.topic}
        onChange={(topic) => write({ topic })}
        {...(isDeclared ? { hint: t('Empty it to take the interest away.') } : {})}
      />
      <TextField
        label={t('Weight, percent')}
        type="number"
        value={written.percent}
        onChange={(percent) => write({ percent })}
      />
      <TextField label={t('Notes')} value={written.notes} onChange={(notes) => write({ notes })} rows={2} />
    </FormDialog>
  );
}
