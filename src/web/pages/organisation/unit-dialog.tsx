// Makes a unit, below another one or as a root, or changes what one is called and who manages it.
import { useState } from 'react';
import type { OrgUnitDetailDto, OrgUnitKind } from '../../../client/index.ts';
import { namesOf, t } from '../../base/i18n.ts';
import { goFromHere } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { say } from '../../ui/toast.tsx';
import { PersonField, userIdOf } from './person-field.tsx';
import { UnitField } from './unit-field.tsx';

const kinds: OrgUnitKind[] = ['Company', 'Division', 'Department', 'Team', 'Squad', 'Other'];

const blank = {
  ...{ name: '', key: '', kind: 'Team' as OrgUnitKind, description: '', costCenter: '', manager: '', sortOrder: '0' },
};
type Written = typeof blank;

const orNull = (text: string) => text.trim() || null;

const bodyOf = ({ name, kind, description, costCenter, manager, sortOrder }: Written) => ({
  name: name.trim(),
  kind,
  description: orNull(description),
  costCenter: orNull(costCenter),
  sortOrder: Number(sortOrder),
  ...(may('UsersRead') && { managerUserId: userIdOf(manager) }),
});

interface NewProps {
  /** The unit that it will belong to; a choice is offered without it. */
  parentId?: number;
  onClose: () => void;
  onDone: () => void;
}

export function NewUnitDialog({ parentId, onClose, onDone }: NewProps) {
  const [written, setWritten] = useState<Written>(blank);
  const [parent, setParent] = useState(parentId === undefined ? '' : String(parentId));
  const create = async () => {
    const goOn = goFromHere();
    const key = written.key.trim();
    const body = { ...bodyOf(written), ...(key && { key }), parentId: parent === '' ? null : Number(parent) };
    const { id } = await client.orgUnits.create({ body });
    onDone();
    goOn(`/organisation/${id}`);
  };
  return (
    <FormDialog
      title={t('New unit')}
      action={t('Create')}
      ready={written.name.trim() !== ''}
      onSubmit={create}
      onClose={onClose}
    >
      <UnitFields
        written={written}
        onWrite={(change) => setWritten({ ...written, ...change })}
        keyHint={t('Empty: made from the name.')}
      />
      <UnitField
        name="parentId"
        label={t('Belongs to')}
        none={t('None: it stands at the top')}
        value={parent}
        onChange={setParent}
      />
    </FormDialog>
  );
}

interface EditProps {
  unit: OrgUnitDetailDto;
  onClose: () => void;
  onDone: () => void;
}

export function EditUnitDialog({ unit, onClose, onDone }: EditProps) {
  const { managerUserId, managerName } = unit;
  const manager = managerUserId === null ? '' : `user ${managerUserId}`;
  const [written, setWritten] = useState<Written>({
    ...{ name: unit.name, key: unit.key, kind: unit.kind, manager, sortOrder: String(unit.sortOrder) },
    ...{ description: unit.description ?? '', costCenter: unit.costCenter ?? '' },
  });
  const save = async () => {
    const body = { ...bodyOf(written), key: written.key.trim() };
    await client.orgUnits.patch({ params: { id: unit.id }, body });
    say(t('Saved'));
    onDone();
  };
  return (
    <FormDialog
      title={t('Change {name}', { name: unit.name })}
      action={t('Save')}
      ready={written.name.trim() !== '' && written.key.trim() !== ''}
      onSubmit={save}
      onClose={onClose}
    >
      <UnitFields
        written={written}
        onWrite={(change) => setWritten({ ...written, ...change })}
        manager={manager ? [manager, managerName ?? `#${managerUserId}`] : null}
      />
    </FormDialog>
  );
}

interface FieldsProps {
  written: Written;
  onWrite: (change: Partial<Written>) => void;
  keyHint?: string;
  /** Who manages it now. */
  manager?: readonly [string, string] | null;
}

function UnitFields({ written, onWrite, keyHint, manager = null }: FieldsProps) {
  return (
    <>
      <TextField label={t('Name')} value={written.name} onChange={(name) => onWrite({ name })} required />
      <div className="form-grid">
        <SelectField
          label={t('Kind')}
          value={written.kind}
          onChange={(kind) => onWrite({ kind })}
          options={namesOf(kinds)}
        />
        <TextField
          label={t('Key')}
          value={written.key}
          onChange={(key) => onWrite({ key })}
          hint={keyHint ?? t('Lower-case letters, digits and dashes.')}
        />
        <TextField
          name="costCenter"
          label={t('Cost centre')}
          value={written.costCenter}
          onChange={(costCenter) => onWrite({ costCenter })}
        />
        <TextField
          name="sortOrder"
          label={t('Place in the list')}
          type="number"
          value={written.sortOrder}
          onChange={(sortOrder) => onWrite({ sortOrder })}
          hint={t('Lower ones come first.')}
        />
      </div>
      <TextField
        label={t('Description')}
        value={written.description}
        onChange={(description) => onWrite({ description })}
        rows={3}
      />
      {may('UsersRead') && (
        <PersonField
          users
          name="managerUserId"
          label={t('Manager')}
          none={t('Nobody')}
          value={written.manager}
          onChange={(one) => onWrite({ manager: one })}
          chosen={manager}
        />
      )}
    </>
  );
}
