// Makes an identity a bot.
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { goFromHere } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Loaded } from '../../ui/states.tsx';

export function BotDialog({ onClose }: { onClose: () => void }) {
  const identities = useResource('identities for bots', () =>
    client.identities.list({ query: { pageSize: 200, sort: 'name' } }),
  );
  const [chosen, setChosen] = useState('');
  const [name, setName] = useState('');
  const save = async () => {
    const goOn = goFromHere();
    const identityId = Number(chosen);
    await client.botProfiles.replace({ params: { identityId }, body: { displayName: name.trim() } });
    goOn(`/bots/${identityId}`);
  };
  return (
    <FormDialog
      title={t('New bot')}
      action={t('Make it a bot')}
      ready={chosen !== '' && name.trim() !== ''}
      onSubmit={save}
      onClose={onClose}
    >
      <Loaded resource={identities}>
        {({ items }) => (
          <SelectField
            label={t('Identity')}
            value={chosen}
            onChange={(id) => {
              setChosen(id);
              if (name === '') setName(items.find((one) => String(one.id) === id)?.displayName ?? '');
            }}
            options={[
              ['', t('Choose one')],
              ...items
                .filter(({ type }) => type !== 'Human')
                .map(({ id, displayName }) => [String(id), displayName] as const),
            ]}
          />
        )}
      </Loaded>
      <TextField name="displayName" label={t('Name that it shows')} value={name} onChange={setName} required />
    </FormDialog>
  );
}
