// Copies an identity with chosen parts into a new one, and shows that.
import { useState } from 'react';
import type { IdentityDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { goFromHere } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { CheckField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { say } from '../../ui/toast.tsx';

interface Props {
  identity: IdentityDto;
  onClose: () => void;
  onDone: () => void;
}

export function CloneDialog({ identity, onClose, onDone }: Props) {
  const [name, setName] = useState('');
  const [displayName, setDisplayName] = useState('');
  const [includePersonality, setPersonality] = useState(true);
  const [includeToolProfile, setToolProfile] = useState(true);
  const [includeConfigs, setConfigs] = useState(true);
  const save = async () => {
    const goOn = goFromHere();
    const body = {
      name: name.trim(),
      ...(displayName.trim() ? { displayName: displayName.trim() } : {}),
      ...{ includePersonality, includeToolProfile, includeConfigs },
    };
    const made = await client.swarm.clone({ params: { id: identity.id }, body });
    say(t('Cloned'));
    onDone();
    goOn(`/identities/${made.id}`);
  };
  return (
    <FormDialog
      title={t('Clone {name}', { name: identity.displayName || identity.name })}
      action={t('Clone')}
      ready={name.trim() !== ''}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField label={t('Name')} value={name} onChange={setName} required />
      <TextField label={t('Display name')} value={displayName} onChange={setDisplayName} />
      <fieldset className="choice-list">
        <legend>{t('What is copied')}</legend>
        <CheckField label={t('Personality and soul')} checked={includePersonality} onChange={setPersonality} />
        <CheckField label={t('Tools and work')} checked={includeToolProfile} onChange={setToolProfile} />
        <CheckField
          label={t('Settings of memory, messaging and hydration')}
          checked={includeConfigs}
          onChange={setConfigs}
        />
      </fieldset>
    </FormDialog>
  );
}
