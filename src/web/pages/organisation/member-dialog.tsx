// Adds a member to a unit, or changes what one is there: the role, the title, whether they manage it, and until when.
import { useState } from 'react';
import type { OrgUnitDetailDto, OrgUnitMemberDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { localTime } from '../memory/as-of.tsx';
import { identityIdOf, PersonField, userIdOf } from './person-field.tsx';
import { useRoleOptions } from './role-options.ts';

interface Written {
  roleId: string;
  title: string;
  isManager: boolean;
  ends: string;
}

const bodyOf = ({ roleId, title, isManager, ends }: Written) => ({
  roleId: roleId === '' ? null : Number(roleId),
  title: title.trim() || null,
  isManager,
  expiresAtUtc: ends === '' ? null : new Date(ends).toISOString(),
});

interface Props {
  unit: OrgUnitDetailDto;
  onClose: () => void;
  onDone: () => void;
}

export function NewMemberDialog({ unit, onClose, onDone }: Props) {
  const [who, setWho] = useState('');
  const [written, setWritten] = useState<Written>({ roleId: '', title: '', isManager: false, ends: '' });
  const add = async () => {
    const { roleId, ...body } = bodyOf(written);
    const whom = { userId: userIdOf(who), identityId: identityIdOf(who) };
    // Without a role the server gives the default one.
    await client.orgUnits.addMember({
      params: { id: unit.id },
      body: { ...body, ...whom, ...(roleId !== null && { roleId }) },
    });
    onDone();
  };
  const mayFind = may('UsersRead') || may('IdentitiesRead');
  return (
    <FormDialog
      title={t('Add a member to {name}', { name: unit.name })}
      action={t('Add')}
      ready={who !== ''}
      onSubmit={add}
      onClose={onClose}
    >
      {mayFind ? (
        <PersonField users agents label={t('Who')} none={t('Choose somebody')} value={who} onChange={setWho} />
      ) : (
        <p>{t('You may not see who has an account here: invite people by e-mail instead.')}</p>
      )}
      <MemberFields unitId={unit.id} isNew written={written} onWrite={(one) => setWritten({ ...written, ...one })} />
    </FormDialog>
  );
}

export function EditMemberDialog({ unit, member, onClose, onDone }: Props & { member: OrgUnitMemberDto }) {
  const [written, setWritten] = useState<Written>({
    roleId: member.roleId === null ? '' : String(member.roleId),
    title: member.title ?? '',
    isManager: member.isManager,
    ends: member.expiresAtUtc ? localTime(Date.parse(member.expiresAtUtc)) : '',
  });
  const [before] = useState(written);
  const save = async () => {
    const { expiresAtUtc, roleId, ...body } = bodyOf(written);
    const changed = {
      ...body,
      // A field shows no seconds, and one that has ended may not be set again: what stayed is not sent.
      ...(written.ends !== before.ends && { expiresAtUtc }),
      ...(written.roleId !== before.roleId && { roleId }),
    };
    await client.orgUnits.changeMember({ params: { id: unit.id, memberId: member.id }, body: changed });
    onDone();
  };
  return (
    <FormDialog title={t('Change {name}', { name: member.name })} action={t('Save')} onSubmit={save} onClose={onClose}>
      <MemberFields
        unitId={unit.id}
        written={written}
        onWrite={(one) => setWritten({ ...written, ...one })}
        {...(member.roleId !== null && { now: [String(member.roleId), member.roleName ?? `#${member.roleId}`] })}
      />
    </FormDialog>
  );
}

interface FieldsProps {
  unitId: number;
  isNew?: boolean;
  written: Written;
  onWrite: (change: Partial<Written>) => void;
  /** The role that the member has, which the unit may not give any more. */
  now?: readonly [string, string];
}

function MemberFields({ unitId, isNew = false, written, onWrite, now }: FieldsProps) {
  const roles = useRoleOptions(unitId, isNew ? 'new' : 'change', now);
  return (
    <>
      <div className="form-grid">
        <SelectField
          name="roleId"
          label={t('Role')}
          value={written.roleId}
          onChange={(roleId) => onWrite({ roleId })}
          options={roles}
        />
        <TextField
          label={t('Title')}
          value={written.title}
          onChange={(title) => onWrite({ title })}
          placeholder={t('such as team lead')}
        />
        <TextField
          name="expiresAtUtc"
          label={t('Ends')}
          type="datetime-local"
          value={written.ends}
          onChange={(ends) => onWrite({ ends })}
          hint={t('Empty is never.')}
        />
      </div>
      <CheckField
        name="isManager"
        label={t('Manages the unit: its members and invitations, and its projects as a maintainer')}
        checked={written.isManager}
        onChange={(isManager) => onWrite({ isManager })}
      />
    </>
  );
}
