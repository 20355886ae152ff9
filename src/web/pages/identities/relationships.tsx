// How an identity sees others, and what made it so.
import { useState } from 'react';
import type { RelationshipDto, RelationshipInteractionDto, RelationshipType } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { formatAgo, formatDate, formatNumber, formatPercent, namesOf, t, words } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';

const types: RelationshipType[] = [
  'Peer',
  'Colleague',
  'Steward',
  'Supervisor',
  'Subordinate',
  'Mentor',
  'Mentee',
  'Creator',
  'Collaborator',
  'Client',
  'Friend',
  'Rival',
];

export function Relationships({ identityId }: { identityId: number }) {
  const now = useNow();
  const list = useResource(`relationships ${identityId}`, () =>
    client.relationships.list({ params: { identityId }, query: { pageSize: 200 } }),
  );
  const [changed, setChanged] = useState<RelationshipDto | 'new' | null>(null);
  const [shown, setShown] = useState<RelationshipDto | null>(null);
  return (
    <div className="stack">
      {may('RelationshipsWrite') && (
        <div>
          <Button icon="plus" onClick={() => setChanged('new')}>
            {t('New relationship')}
          </Button>
        </div>
      )}
      <Loaded resource={list}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('No relationships')}>
              {t('Messages, hand-overs, reviews and feedback between identities shape them.')}
            </Empty>
          ) : (
            <Table rows={items} keyOf={({ id }) => id} columns={columns(now, setShown, setChanged)} />
          )
        }
      </Loaded>
      {changed && (
        <RelationshipDialog
          identityId={identityId}
          {...(changed === 'new' ? {} : { one: changed })}
          onClose={() => setChanged(null)}
          onDone={list.reload}
        />
      )}
      {shown && <History of={shown} onClose={() => setShown(null)} />}
    </div>
  );
}

const signed = (value: number) => `${value > 0 ? '+' : ''}${value.toFixed(2)}`;

const columns = (
  now: number,
  onShow: (one: RelationshipDto) => void,
  onChange: (one: RelationshipDto) => void,
): Column<RelationshipDto>[] => [
  {
    head: t('Identity'),
    cell: (one) => (
      <>
        <a href={`#/identities/${one.otherIdentityId}?tab=relationships`}>{one.otherIdentityName}</a>
        {one.notes && <div className="small muted clamp">{one.notes}</div>}
      </>
    ),
  },
  { head: t('Type'), cell: (one) => words(one.type) },
  { head: t('Trust'), cell: (one) => <Share name={t('Trust')} value={one.trust} /> },
  { head: t('Familiarity'), cell: (one) => <Share name={t('Familiarity')} value={one.familiarity} /> },
  { head: t('Sentiment'), num: true, cell: (one) => signed(one.sentiment) },
  {
    head: t('Last interaction'),
    className: 'small nowrap',
    cell: (one) => (one.lastInteractionAtUtc ? formatAgo(one.lastInteractionAtUtc, now) : t('never')),
  },
  {
    head: '',
    num: true,
    cell: (one) => (
      <span className="row wrap">
        <Button size="small" onClick={() => onShow(one)}>
          {t('History')}
        </Button>
        {may('RelationshipsWrite') && (
          <Button size="small" icon="edit" onClick={() => onChange(one)}>
            {t('Change')}
          </Button>
        )}
      </span>
    ),
  },
];

function Share({ name, value }: { name: string; value: number }) {
  return (
    <span className="row num">
      <progress value={value} max={1} aria-label={name} />
      {formatPercent(value)}
    </span>
  );
}

function History({ of, onClose }: { of: RelationshipDto; onClose: () => void }) {
  const list = useResource(`interactions ${of.id}`, () =>
    client.relationships.interactions({ params: { id: of.id }, query: { pageSize: 100 } }),
  );
  return (
    <Dialog
      wide
      title={t('{one} and {other}', { one: of.identityName, other: of.otherIdentityName })}
      onClose={onClose}
    >
      <Loaded resource={list}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('No interactions')}>{t('What moves trust, familiarity and sentiment appears here.')}</Empty>
          ) : (
            <Table rows={items} keyOf={({ id }) => id} columns={historyColumns()} />
          )
        }
      </Loaded>
    </Dialog>
  );
}

const historyColumns = (): Column<RelationshipInteractionDto>[] => [
  { head: t('Interaction'), cell: (one) => words(one.kind) },
  { head: t('Summary'), className: 'wide', cell: (one) => one.summary },
  { head: t('Sentiment'), num: true, cell: (one) => signed(one.sentiment) },
  { head: t('Trust after'), num: true, cell: (one) => formatPercent(one.trustAfter) },
  { head: t('Familiarity after'), num: true, cell: (one) => formatPercent(one.familiarityAfter) },
  { head: t('Time'), className: 'small nowrap', cell: (one) => formatDate(one.occurredAtUtc) },
];

interface DialogProps {
  identityId: number;
  one?: RelationshipDto;
  onClose: () => void;
  onDone: () => void;
}

function RelationshipDialog({ identityId, one, onClose, onDone }: DialogProps) {
  const others = useResource(one ? null : 'relationship identities', () =>
    client.identities.list({ query: { pageSize: 200, sort: 'name' } }),
  );
  const [otherId, setOther] = useState('');
  const [type, setType] = useState<RelationshipType>(one?.type ?? 'Colleague');
  const [trust, setTrust] = useState(String(one?.trust ?? 0.5));
  const [notes, setNotes] = useState(one?.notes ?? '');
  const save = async () => {
    const body = { type, trust: Number(trust), notes: notes.trim() || null };
    if (one) await client.relationships.patch({ params: { id: one.id }, body });
    else
      await client.relationships.set({ params: { identityId }, body: { ...body, otherIdentityId: Number(otherId) } });
    onDone();
  };
  return (
    <FormDialog
      title={one ? t('Change the relationship') : t('New relationship')}
      action={t('Save')}
      ready={(one !== undefined || otherId !== '') && trust !== ''}
      onSubmit={save}
      onClose={onClose}
    >
      {!one && (
        <SelectField
          label={t('Identity')}
          value={otherId}
          onChange={setOther}
          options={[
            ['', t('select one')],
            ...(others.data?.items ?? [])
              .filter(({ id }) => id !== identityId)
              .map(({ id, name, displayName }) => [String(id), displayName || name] as const),
          ]}
        />
      )}
      <SelectField label={t('Type')} value={type} onChange={setType} options={namesOf(types)} />
      <TextField label={t('Trust, 0 to 1')} type="number" value={trust} onChange={setTrust} />
      <TextField label={t('Notes')} value={notes} onChange={setNotes} rows={3} />
      {one && <p className="small muted">{t('{n} interactions so far.', { n: formatNumber(one.interactionCount) })}</p>}
    </FormDialog>
  );
}
