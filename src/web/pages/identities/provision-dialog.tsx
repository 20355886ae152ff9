// Provisions a child of an identity: its work, until when it is there, and a key for it.
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { say } from '../../ui/toast.tsx';

interface Props {
  identityId: number;
  /** Hears of the key that was made with it. */
  onMade: (secret: string | null) => void;
  onDone: () => void;
  onClose: () => void;
}

export function ProvisionDialog({ identityId, onMade, onDone, onClose }: Props) {
  const mayRead = may('AgentConfigRead');
  const roles = useResource('roles of children', async () =>
    mayRead ? (await client.agentRoles.list({ query: { pageSize: 200 } })).items : [],
  );
  const [name, setName] = useState('');
  const [bio, setBio] = useState('');
  const [tags, setTags] = useState('');
  const [role, setRole] = useState('');
  const [minutes, setMinutes] = useState('');
  const [createApiKey, setKey] = useState(false);
  const save = async () => {
    const list = tags
      .split(',')
      .map((tag) => tag.trim())
      .filter(Boolean);
    const body = {
      name: name.trim(),
      provisionedByIdentityId: identityId,
      ...(bio.trim() ? { bio: bio.trim() } : {}),
      ...(list.length > 0 ? { tags: list } : {}),
      ...(role ? { roleDefinitionId: Number(role) } : {}),
      ...(minutes ? { ttlMinutes: Number(minutes) } : {}),
      createApiKey,
    };
    onMade((await client.swarm.provision({ body })).rawApiKey);
    say(t('Child provisioned'));
    onDone();
  };
  return (
    <FormDialog
      title={t('New child')}
      action={t('Provision')}
      ready={name.trim() !== ''}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField label={t('Name')} value={name} onChange={setName} required />
      <TextField name="bio" label={t('About')} value={bio} onChange={setBio} rows={2} />
      <div className="form-grid">
        <SelectField
          label={t('Role')}
          value={role}
          onChange={setRole}
          options={[['', t('none')], ...(roles.data ?? []).map((one) => [String(one.id), one.name] as const)]}
        />
        <TextField
          name="ttlMinutes"
          label={t('Lives for, minutes')}
          type="number"
          required={false}
          value={minutes}
          onChange={setMinutes}
          hint={t('Empty is as long as its parent.')}
        />
      </div>
      <TextField label={t('Tags')} value={tags} onChange={setTags} hint={t('Separated by commas.')} />
      <CheckField label={t('Make a key for it')} checked={createApiKey} onChange={setKey} />
    </FormDialog>
  );
}
