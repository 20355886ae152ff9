// The identities that belong to a unit: their work counts there, and they work in its projects.
import { useState } from 'react';
import type { IdentityDto, OrgUnitDetailDto } from '../../../client/index.ts';
import { t, words } from '../../base/i18n.ts';
import { href, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { Below, isWithBelow } from './below.tsx';
import { identityIdOf, PersonField } from './person-field.tsx';
import type { UnitProps } from './unit-props.ts';

const pageSize = 50;

export function UnitIdentities({ unit, news, onChange }: UnitProps) {
  const { query } = useLocation();
  const isBelow = isWithBelow(query);
  const page = pageIn(query);
  const params = { id: unit.id };
  const list = useKept(
    useResource(`identities of unit ${unit.id} ${isBelow} ${page}`, () =>
      client.orgUnits.identities({ params, query: { page, pageSize, includeDescendants: isBelow } }),
    ),
  );
  useReloadOn(news, list.reload);
  const [isNew, setNew] = useState(false);
  const [leaving, setLeaving] = useState<IdentityDto | null>(null);
  const changed = () => {
    list.reload();
    onChange();
  };
  const detach = async (identityId: number) => {
    await client.orgUnits.detachIdentity({ params: { ...params, identityId } });
    changed();
  };
  return (
    <div className="stack">
      <div className="filters">
        <Below isBelow={isBelow} />
        {may('OrgUnitsWrite') && may('IdentitiesRead') && (
          <Button icon="plus" onClick={() => setNew(true)}>
            {t('Attach an identity')}
          </Button>
        )}
      </div>
      <Loaded resource={list}>
        {(found) =>
          found.items.length === 0 ? (
            <Empty title={t('No identity here')}>
              {t('What an identity does outside projects counts for the unit that it belongs to.')}
            </Empty>
          ) : (
            <>
              <Table
                rows={found.items}
                keyOf={({ id }) => id}
                // The list does not say to which of the units below an identity belongs.
                columns={columns(may('OrgUnitsWrite') && !isBelow ? setLeaving : null)}
              />
              <UrlPages page={page} list={found} />
            </>
          )
        }
      </Loaded>
      {isNew && <AttachDialog unit={unit} onClose={() => setNew(false)} onDone={changed} />}
      {leaving && (
        <Confirm
          title={t('Detach {name} from {unit}?', { name: leaving.displayName, unit: unit.name })}
          action={t('Detach')}
          onConfirm={() => detach(leaving.id)}
          onClose={() => setLeaving(null)}
        >
          <p>{t('Its work outside projects belongs to no unit then, and it loses the access that the unit gave.')}</p>
        </Confirm>
      )}
    </div>
  );
}

interface AttachProps {
  unit: OrgUnitDetailDto;
  onClose: () => void;
  onDone: () => void;
}

function AttachDialog({ unit, onClose, onDone }: AttachProps) {
  const [who, setWho] = useState('');
  const attach = async () => {
    const identityId = identityIdOf(who);
    if (identityId !== null) await client.orgUnits.attachIdentity({ params: { id: unit.id }, body: { identityId } });
    onDone();
  };
  return (
    <FormDialog
      title={t('Attach an identity to {name}', { name: unit.name })}
      action={t('Attach')}
      ready={who !== ''}
      onSubmit={attach}
      onClose={onClose}
    >
      <PersonField
        agents
        name="identityId"
        label={t('Identity')}
        none={t('Choose an identity')}
        value={who}
        onChange={setWho}
      />
      <p className="muted">{t('It belongs to this unit alone then: one that belongs to another unit leaves it.')}</p>
    </FormDialog>
  );
}

const columns = (onDetach: ((identity: IdentityDto) => void) | null): Column<IdentityDto>[] => [
  {
    head: t('Identity'),
    className: 'grow',
    cell: ({ id, displayName, name }) => (
      <>
        <a href={href(`/identities/${id}`)}>{displayName}</a>
        {name !== displayName && <div className="small faint">{name}</div>}
      </>
    ),
  },
  { head: t('Type'), cell: ({ type }) => words(type) },
  { head: t('Status'), cell: ({ isActive }) => (isActive ? t('Active') : t('Inactive')) },
  ...(onDetach
    ? [
        {
          head: '',
          num: true,
          cell: (identity: IdentityDto) => (
            <Button size="small" onClick={() => onDetach(identity)}>
              {t('Detach')}
            </Button>
          ),
        },
      ]
    : []),
];
