// Changes what a task says.
import { useState } from 'react';
import type { ProjectTaskDetailDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

interface Props {
  task: ProjectTaskDetailDto;
  onClose: () => void;
  onDone: () => void;
}

const dayOf = (at: string | null) => (at ? new Date(at).toLocaleDateString('sv') : '');

const writtenOf = (task: ProjectTaskDetailDto) => ({
  title: task.title,
  description: task.description ?? '',
  acceptanceCriteria: task.acceptanceCriteria ?? '',
  priority: String(task.priority),
  due: dayOf(task.dueAtUtc),
  estimate: task.estimateMinutes === null ? '' : String(task.estimateMinutes),
  assignee: task.assigneeIdentityId === null ? '' : String(task.assigneeIdentityId),
  tags: task.tags.join(', '),
});

export function EditTask({ task, onClose, onDone }: Props) {
  const before = writtenOf(task);
  const [written, setWritten] = useState(before);
  const set = (name: keyof typeof before) => (value: string) => setWritten({ ...written, [name]: value });
  const identities = useResource(may('IdentitiesRead') ? 'identities for tasks' : null, () =>
    client.identities.list({ query: { pageSize: 200 } }),
  );
  const save = async () => {
    const { due, estimate, assignee } = written;
    await client.tasks.patch({
      params: { id: task.id },
      body: {
        title: written.title,
        description: written.description || null,
        acceptanceCriteria: written.acceptanceCriteria || null,
        priority: Number(written.priority),
        estimateMinutes: estimate === '' ? null : Number(estimate),
        tags: written.tags
          .split(',')
          .map((one) => one.trim())
          .filter(Boolean),
        ...(due !== before.due && { dueAtUtc: due ? new Date(`${due}T23:59:59`).toISOString() : null }),
      },
    });
    // Giving it to somebody tells them, which a change of a field does not.
    if (assignee !== before.assignee)
      await client.tasks.assign({ params: { id: task.id }, body: { identityId: assignee ? Number(assignee) : null } });
    onDone();
  };
  const people = (identities.data?.items ?? []).map((one) => [String(one.id), one.displayName || one.name] as const);
  return (
    <FormDialog
      title={t('Change the task')}
      action={t('Save')}
      ready={written.title.trim() !== '' && written.priority !== ''}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField label={t('Title')} value={written.title} onChange={set('title')} required />
      <TextField label={t('Description')} value={written.description} onChange={set('description')} rows={5} />
      <TextField
        name="acceptanceCriteria"
        label={t('Done when')}
        value={written.acceptanceCriteria}
        onChange={set('acceptanceCriteria')}
        rows={3}
      />
      <SelectField
        label={t('Assigned to')}
        value={written.assignee}
        onChange={set('assignee')}
        options={[['', t('Nobody')] as const, ...people]}
      />
      <TextField label={t('Priority, 0 to 100')} type="number" value={written.priority} onChange={set('priority')} />
      <TextField label={t('Due')} type="date" value={written.due} onChange={set('due')} />
      <TextField
        name="estimateMinutes"
        label={t('Estimate in minutes')}
        type="number"
        required={false}
        value={written.estimate}
        onChange={set('estimate')}
      />
      <TextField label={t('Tags')} value={written.tags} onChange={set('tags')} hint={t('Separated by commas.')} />
    </FormDialog>
  );
}
