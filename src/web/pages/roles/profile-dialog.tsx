// Makes a tool profile, or changes one.
import { useState } from 'react';
import type { AgentToolProfileDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { CheckField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

const lists = {
  safeTools: 'Allowed',
  optInTools: 'Approval required',
  blockedTools: 'Blocked',
  sandboxedTools: 'Sandboxed',
} as const;
type ListKey = keyof typeof lists;
const listKeys = Object.keys(lists) as ListKey[];

interface Props {
  profile?: AgentToolProfileDto;
  onClose: () => void;
  onDone: () => void;
}

export function ProfileDialog({ profile, onClose, onDone }: Props) {
  const [name, setName] = useState(profile?.name ?? '');
  const [role, setRole] = useState(profile?.role ?? '');
  const [description, setDescription] = useState(profile?.description ?? '');
  const [discoveryEnabled, setDiscovery] = useState(profile?.discoveryEnabled ?? true);
  const [texts, setTexts] = useState<Record<string, string>>(() =>
    Object.fromEntries(listKeys.map((key) => [key, (profile?.[key] ?? []).join('\n')])),
  );
  const toolsOf = (key: ListKey) => (texts[key] ?? '').split(/[\s,]+/).filter(Boolean);
  const save = async () => {
    const body = {
      name,
      role,
      description: description || null,
      roleDefinitionId: profile?.roleDefinitionId ?? null,
      safeTools: toolsOf('safeTools'),
      optInTools: toolsOf('optInTools'),
      blockedTools: toolsOf('blockedTools'),
      sandboxedTools: toolsOf('sandboxedTools'),
      discoveryEnabled,
    };
    if (profile) await client.agentToolProfiles.replace({ params: { id: profile.id }, body });
    else await client.agentToolProfiles.create({ body });
    onDone();
  };
  return (
    <FormDialog
      title={profile ? t('Change {name}', { name: profile.name }) : t('New tool profile')}
      action={t('Save')}
      ready={name.trim() !== '' && role.trim() !== ''}
      wide
      onSubmit={save}
      onClose={onClose}
    >
      <div className="form-grid">
        <TextField label={t('Name')} value={name} onChange={setName} required />
        <TextField label={t('Role')} value={role} onChange={setRole} required />
      </div>
      <TextField label={t('Description')} value={description} onChange={setDescription} />
      <div className="form-grid">
        {listKeys.map((key) => (
          <TextField
            key={key}
            name={key}
            label={t(lists[key])}
            value={texts[key] ?? ''}
            onChange={(value) => setTexts({ ...texts, [key]: value })}
            rows={4}
            mono
          />
        ))}
      </div>
      <p className="hint">{t('One tool per line; a trailing * matches the rest of a name.')}</p>
      <CheckField label={t('Allow tools that are not listed')} checked={discoveryEnabled} onChange={setDiscovery} />
    </FormDialog>
  );
}
