// How a chat is answered: title, instructions, effort, and the tools that replies may use.

import { useState } from 'react';
import type { AvailableToolDto, ChatSessionDto } from '../../../client/index.ts';
import { t, words } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Loaded } from '../../ui/states.tsx';

const efforts = ['', 'minimal', 'low', 'medium', 'high'];

interface Props {
  session: ChatSessionDto;
  onClose: () => void;
  onDone: () => void;
}

export function SettingsDialog({ session, onClose, onDone }: Props) {
  const [title, setTitle] = useState(session.title);
  const [systemPrompt, setSystemPrompt] = useState(session.systemPrompt ?? '');
  const [effort, setEffort] = useState(session.reasoningEffort ?? '');
  const [enabled, setEnabled] = useState<string[]>(session.enabledTools ?? []);
  const tools = useResource(`chat tools ${session.id}`, () => client.chat.tools({ params: { sessionId: session.id } }));
  const save = async () => {
    const body = { title, systemPrompt: systemPrompt || null, reasoningEffort: effort || null, enabledTools: enabled };
    await client.chat.patch({ params: { id: session.id }, body });
    onDone();
  };
  return (
    <FormDialog title={t('Settings of this chat')} action={t('Save')} onSubmit={save} onClose={onClose}>
      <TextField label={t('Title')} value={title} onChange={setTitle} />
      <TextField
        name="systemPrompt"
        label={t('Instructions')}
        value={systemPrompt}
        onChange={setSystemPrompt}
        rows={4}
        placeholder={t('Instructions for every reply')}
      />
      <SelectField
        label={t('Reasoning effort')}
        value={effort}
        onChange={setEffort}
        options={efforts.map((one) => [one, one ? words(one) : t('the model’s own')] as const)}
      />
      <Loaded resource={tools} rows={3}>
        {(items) => <Tools items={items} enabled={enabled} onChange={setEnabled} />}
      </Loaded>
    </FormDialog>
  );
}

interface ToolsProps {
  items: AvailableToolDto[];
  enabled: readonly string[];
  onChange: (enabled: string[]) => void;
}

function Tools({ items, enabled, onChange }: ToolsProps) {
  if (items.length === 0) return null;
  const toggle = (name: string) =>
    onChange(enabled.includes(name) ? enabled.filter((one) => one !== name) : [...enabled, name]);
  return (
    <fieldset className="choice-list">
      <legend>{t('Tools')}</legend>
      {items.map((tool) => (
        <label key={tool.name} className="check" title={tool.blockedReason ?? tool.description}>
          <input
            type="checkbox"
            checked={enabled.includes(tool.name)}
            disabled={!tool.allowedByPolicy}
            onChange={() => toggle(tool.name)}
          />
          <span className="mono small">{tool.name}</span>
          <span className="muted small truncate">{tool.blockedReason ?? tool.description}</span>
        </label>
      ))}
    </fieldset>
  );
}
