// Asks for a new task.
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

interface Props {
  projectId: number;
  parentTaskId?: number;
  onClose: () => void;
  onDone: () => void;
}

export function NewTaskDialog({ projectId, parentTaskId, onClose, onDone }: Props) {
  const [title, setTitle] = useState('');
  const [description, setDescription] = useState('');
  const [due, setDue] = useState('');
  const create = async () => {
    const said = description.trim();
    await client.tasks.create({
      params: { projectId },
      body: {
        title,
        status: 'Todo',
        ...(said && { description: said }),
        ...(due && { dueAtUtc: new Date(`${due}T23:59:59`).toISOString() }),
        ...(parentTaskId !== undefined && { parentTaskId }),
      },
    });
    onDone();
  };
  return (
    <FormDialog
      title={parentTaskId === undefined ? t('New task') : t('New subtask')}
      action={t('Create')}
      ready={title.trim() !== ''}
      onSubmit={create}
      onClose={onClose}
    >
      <TextField label={t('Title')} value={title} onChange={setTitle} required />
      <TextField
        label={t('Description')}
        value={description}
        onChange={setDescription}
        rows={4}
        hint={t('In Markdown.')}
      />
      <TextField label={t('Due')} type="date" value={due} onChange={setDue} />
    </FormDialog>
  );
}
