// Invites somebody to a unit by e-mail: with which role, for how long, and whether the server mails the link.
import { useState } from 'react';
import type { OrgUnitDetailDto, OrgUnitInviteCreatedDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useRoleOptions } from './role-options.ts';

interface Props {
  unit: OrgUnitDetailDto;
  onClose: () => void;
  /** The link is in it, once. */
  onMade: (made: OrgUnitInviteCreatedDto) => void;
  onDone: () => void;
}

export function InviteDialog({ unit, onClose, onMade, onDone }: Props) {
  const [email, setEmail] = useState('');
  const [roleId, setRoleId] = useState('');
  const [days, setDays] = useState('7');
  const [message, setMessage] = useState('');
  const [sendEmail, setSend] = useState(true);
  const roles = useRoleOptions(unit.id, 'new');
  const invite = async () => {
    const body = {
      ...{ email: email.trim(), message: message.trim() || null, expiresInDays: Number(days), sendEmail },
      ...(roleId && { roleId: Number(roleId) }),
    };
    onMade(await client.orgUnits.invite({ params: { id: unit.id }, body }));
    onDone();
  };
  return (
    <FormDialog
      title={t('Invite to {name}', { name: unit.name })}
      action={t('Invite')}
      ready={email.trim() !== ''}
      onSubmit={invite}
      onClose={onClose}
    >
      <TextField name="email" label={t('E-mail address')} value={email} onChange={setEmail} required />
      <div className="form-grid">
        <SelectField name="roleId" label={t('Role')} value={roleId} onChange={setRoleId} options={roles} />
        <TextField
          name="expiresInDays"
          label={t('Valid for, days')}
          type="number"
          value={days}
          onChange={setDays}
          hint={t('From 1 to 365.')}
        />
      </div>
      <TextField label={t('Message')} value={message} onChange={setMessage} rows={3} />
      <CheckField name="sendEmail" label={t('Mail the link')} checked={sendEmail} onChange={setSend} />
    </FormDialog>
  );
}
