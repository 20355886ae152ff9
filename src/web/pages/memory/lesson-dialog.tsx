// Writes down a lesson for runs, or changes one.
import type { AgentMemoryDto, AgentMemoryKind } from '../../../client/index.ts';
import { namesOf, t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useDraftRecord } from '../../ui/use-draft-record.ts';
import { projectOptions, useProjects } from './chosen.tsx';
import { listOf } from './vocabulary.ts';

export const lessonKinds: readonly AgentMemoryKind[] = [
  'Lesson',
  'Procedure',
  'Pitfall',
  'Environment',
  'Convention',
  'Fact',
];

interface Props {
  lesson?: AgentMemoryDto;
  onClose: () => void;
  onDone: () => void;
}

const writtenOf = (lesson?: AgentMemoryDto) => ({
  title: lesson?.title ?? '',
  content: lesson?.content ?? '',
  kind: lesson?.kind ?? ('Lesson' as AgentMemoryKind),
  role: String(lesson?.roleDefinitionId ?? ''),
  project: String(lesson?.projectId ?? ''),
  sure: String(Math.round((lesson?.confidence ?? 0.7) * 100)),
  tags: (lesson?.tags ?? []).join(', '),
  expires: lesson?.expiresAtUtc?.slice(0, 10) ?? '',
});

export function LessonDialog({ lesson, onClose, onDone }: Props) {
  const name = lesson ? `lesson.${lesson.id}` : 'lesson.new';
  const { written, write, clear } = useDraftRecord(name, writtenOf(lesson));
  const projects = useProjects();
  const roles = useResource(may('AgentConfigRead') ? 'roles of lessons' : null, () =>
    client.agentRoles.list({ query: { pageSize: 200 } }),
  );
  const save = async () => {
    const { role, project, sure, tags, expires, ...rest } = written;
    const body = {
      ...rest,
      roleDefinitionId: role ? Number(role) : null,
      projectId: project ? Number(project) : null,
      confidence: Math.min(1, Math.max(0, Number(sure) / 100)),
      tags: listOf(tags),
      expiresAtUtc: expires ? new Date(`${expires}T00:00`).toISOString() : null,
    };
    if (lesson) await client.agentMemories.patch({ params: { id: lesson.id }, body });
    else await client.agentMemories.create({ body });
    clear();
    onDone();
  };
  return (
    <FormDialog
      title={lesson ? t('Change the lesson') : t('New lesson')}
      action={t('Save')}
      ready={written.title.trim() !== '' && written.content.trim() !== ''}
      onSubmit={save}
      onClose={onClose}
      onDiscard={clear}
    >
      <TextField label={t('Title')} value={written.title} onChange={(title) => write({ title })} required />
      <TextField
        name="content"
        label={t('Lesson')}
        value={written.content}
        onChange={(content) => write({ content })}
        rows={4}
        required
      />
      <div className="form-grid">
        <SelectField
          label={t('Kind')}
          value={written.kind}
          onChange={(kind) => write({ kind })}
          options={namesOf(lessonKinds)}
        />
        <SelectField
          label={t('For runs of the role')}
          value={written.role}
          onChange={(role) => write({ role })}
          options={[
            ['', t('All')],
            ...(roles.data?.items ?? []).map((one) => [String(one.id), one.displayName] as const),
          ]}
        />
        <SelectField
          label={t('For runs of the project')}
          value={written.project}
          onChange={(project) => write({ project })}
          options={projectOptions(projects.data?.items ?? [], t('All'))}
        />
        <TextField label={t('Sure, percent')} type="number" value={written.sure} onChange={(sure) => write({ sure })} />
        <TextField
          label={t('Expires')}
          type="date"
          value={written.expires}
          onChange={(expires) => write({ expires })}
        />
      </div>
      <TextField label={t('Tags, between commas')} value={written.tags} onChange={(tags) => write({ tags })} />
    </FormDialog>
  );
}
