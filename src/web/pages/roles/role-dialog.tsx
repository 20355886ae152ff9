// Makes a role, or changes one.
import { useState } from 'react';
import type { AgentRoleDefinitionDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { CheckField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { figuresOf, NumberFields, type Written } from '../../ui/number-fields.tsx';

const numbers = {
  defaultMaxIterations: 'Turns',
  defaultMaxTokens: 'Tokens',
  contextBudgetTokens: 'Context tokens',
  hardIterationCap: 'Maximum turns',
  temperature: 'Temperature',
} as const;
type NumberKey = keyof typeof numbers;
const numberKeys = Object.keys(numbers) as NumberKey[];

interface Props {
  role?: AgentRoleDefinitionDto;
  onClose: () => void;
  onDone: () => void;
}

export function RoleDialog({ role, onClose, onDone }: Props) {
  const [name, setName] = useState(role?.name ?? '');
  const [displayName, setDisplayName] = useState(role?.displayName ?? '');
  const [description, setDescription] = useState(role?.description ?? '');
  const [template, setTemplate] = useState(role?.systemPromptTemplate ?? '');
  const [enabled, setEnabled] = useState(role?.enabled ?? true);
  const [figures, setFigures] = useState<Written<NumberKey>>(() =>
    role ? Object.fromEntries(numberKeys.map((key) => [key, String(role[key])])) : {},
  );
  const save = async () => {
    const body = {
      ...(displayName ? { displayName } : {}),
      description,
      systemPromptTemplate: template,
      enabled,
      ...figuresOf(figures),
    };
    if (role) await client.agentRoles.patch({ params: { id: role.id }, body });
    else await client.agentRoles.create({ body: { ...body, name } });
    onDone();
  };
  return (
    <FormDialog
      title={role ? t('Change {name}', { name: role.displayName }) : t('New role')}
      action={t('Save')}
      ready={name.trim() !== '' && template.trim() !== ''}
      wide
      onSubmit={save}
      onClose={onClose}
    >
      <div className="form-grid">
        {!role && <TextField label={t('Name')} value={name} onChange={setName} required />}
        <TextField label={t('Display name')} value={displayName} onChange={setDisplayName} />
      </div>
      <TextField label={t('Description')} value={description} onChange={setDescription} rows={2} />
      <TextField
        name="systemPromptTemplate"
        label={t('System prompt')}
        value={template}
        onChange={setTemplate}
        rows={10}
        required
        hint={t('It may use {{agent}}, {{role}}, {{goal}}, {{date}}, {{deliverable}} and {{destination}}.')}
      />
      <NumberFields names={numbers} written={figures} onChange={setFigures} />
      <CheckField label={t('Usage')} checked={enabled} onChange={setEnabled} />
    </FormDialog>
  );
}
