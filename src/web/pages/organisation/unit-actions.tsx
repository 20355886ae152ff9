// What can be done with a unit as a whole: make one below it, change it, move it, switch it off, delete it.
import { useState } from 'react';
import type { OrgUnitDetailDto } from '../../../client/index.ts';
import { plural, t } from '../../base/i18n.ts';
import { goFromHere } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { linesOf, outside } from '../../state/unit-lines.ts';
import { unitOptions, useUnits } from '../../state/units.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { SelectField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { EditUnitDialog, NewUnitDialog } from './unit-dialog.tsx';
import type { UnitProps } from './unit-props.ts';

type Asked = 'new' | 'edit' | 'move' | 'off' | 'delete';

export function UnitActions({ unit, onChange }: UnitProps) {
  const [asked, setAsked] = useState<Asked | null>(null);
  const { busy, act } = useAction();
  const close = () => setAsked(null);
  const turn = async (isActive: boolean) => {
    await client.orgUnits.patch({ params: { id: unit.id }, body: { isActive } });
    onChange();
  };
  return (
    <>
      <Button icon="plus" onClick={() => setAsked('new')}>
        {t('New unit below')}
      </Button>
      <Button icon="edit" onClick={() => setAsked('edit')}>
        {t('Change')}
      </Button>
      <Button onClick={() => setAsked('move')}>{t('Move')}</Button>
      {unit.isActive ? (
        <Button icon="pause" onClick={() => setAsked('off')}>
          {t('Switch off')}
        </Button>
      ) : (
        <Button icon="play" disabled={busy} onClick={() => void act(() => turn(true))}>
          {t('Switch on')}
        </Button>
      )}
      <Button kind="danger" onClick={() => setAsked('delete')}>
        {t('Delete')}
      </Button>
      {asked === 'new' && <NewUnitDialog parentId={unit.id} onClose={close} onDone={onChange} />}
      {asked === 'edit' && <EditUnitDialog unit={unit} onClose={close} onDone={onChange} />}
      {asked === 'move' && <MoveDialog unit={unit} onClose={close} onDone={onChange} />}
      {asked === 'delete' && <DeleteDialog unit={unit} onClose={close} />}
      {asked === 'off' && (
        <Confirm
          title={t('Switch off {name}?', { name: unit.name })}
          action={t('Switch off')}
          onConfirm={() => turn(false)}
          onClose={close}
        >
          <p>{t('It gives nobody access, and no run begins in it or below it, until it is switched on again.')}</p>
        </Confirm>
      )}
    </>
  );
}

/** The units that are neither a unit nor below it. */
function useOthers(id: number) {
  const { data } = useUnits();
  return data && outside(linesOf(data), id);
}

interface DialogProps {
  unit: OrgUnitDetailDto;
  onClose: () => void;
}

function MoveDialog({ unit, onClose, onDone }: DialogProps & { onDone: () => void }) {
  const now = unit.parentId === null ? '' : String(unit.parentId);
  const [parent, setParent] = useState(now);
  const others = useOthers(unit.id) ?? [];
  const move = async () => {
    const body = { parentId: parent === '' ? null : Number(parent) };
    await client.orgUnits.move({ params: { id: unit.id }, body });
    say(t('Moved'));
    onDone();
  };
  return (
    <FormDialog
      title={t('Move {name}', { name: unit.name })}
      action={t('Move')}
      ready={parent !== now}
      onSubmit={move}
      onClose={onClose}
    >
      <SelectField
        name="parentId"
        label={t('Belongs to')}
        value={parent}
        onChange={setParent}
        options={unitOptions(others, t('None: it stands at the top'))}
        hint={t('Not to itself or to a unit below it.')}
      />
      <p className="muted">
        {t('All units below it move with it. Members, budgets and policies of its new place hold there at once.')}
      </p>
    </FormDialog>
  );
}

/** What is in a unit, in words. */
const contentOf = (unit: OrgUnitDetailDto): string[] =>
  (
    [
      [unit.childCount, '{n} unit right below it', '{n} units right below it'],
      [unit.memberCount, '{n} member', '{n} members'],
      [unit.projectCount, '{n} project', '{n} projects'],
      [unit.identityCount, '{n} identity', '{n} identities'],
      [unit.connectorCount, '{n} connector', '{n} connectors'],
    ] as const
  )
    .filter(([count]) => count > 0)
    .map(([count, one, many]) => plural(count, one, many));

function DeleteDialog({ unit, onClose }: DialogProps) {
  const [to, setTo] = useState('');
  const others = useOthers(unit.id) ?? [];
  const content = contentOf(unit);
  const remove = async () => {
    const goOn = goFromHere();
    const body = to === '' ? {} : { moveToOrgUnitId: Number(to) };
    await client.orgUnits.remove({ params: { id: unit.id }, body });
    say(t('Deleted'));
    goOn('/organisation');
  };
  return (
    <FormDialog
      title={t('Delete {name}?', { name: unit.name })}
      action={t('Delete')}
      ready={content.length === 0 || to !== ''}
      onSubmit={remove}
      onClose={onClose}
    >
      {content.length === 0 ? (
        <p>{t('It is empty.')}</p>
      ) : (
        <>
          <p>{t('It has:')}</p>
          <ul>
            {content.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        </>
      )}
      <SelectField
        name="moveToOrgUnitId"
        label={t('Move what is in it to')}
        value={to}
        onChange={setTo}
        options={unitOptions(others, content.length === 0 ? t('Nothing is to be moved') : t('Choose a unit'))}
      />
      <p className="muted">{t('Its budget, its policy and its open invitations are deleted with it.')}</p>
    </FormDialog>
  );
}
