// Writes a memory, or changes one; what is written stays until it is saved or thrown away.
import type { MemoryDetailDto, MemoryType, Provenance } from '../../../client/index.ts';
import { namesOf, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useDraftRecord } from '../../ui/use-draft-record.ts';
import { projectOptions, useProjects } from './chosen.tsx';
import { listOf, memoryTypes, provenanceHints, provenances } from './vocabulary.ts';

interface Props {
  identityId: number;
  memory?: MemoryDetailDto;
  onClose: () => void;
  onDone: (id: number) => void;
}

const writtenOf = (memory?: MemoryDetailDto) => ({
  title: memory?.title ?? '',
  content: memory?.content ?? '',
  type: memory?.type ?? ('Reference' as MemoryType),
  provenance: memory?.provenance ?? ('Observed' as Provenance),
  importance: String(memory?.importance ?? 5),
  project: String(memory?.projectId ?? ''),
  tags: (memory?.tags ?? []).join(', '),
  isPinned: memory?.isPinned ?? false,
  isShared: memory?.isShared ?? false,
});
type Written = ReturnType<typeof writtenOf>;

export function MemoryDialog({ identityId, memory, onClose, onDone }: Props) {
  const name = memory ? `memory.${memory.id}` : `memory.new.${identityId}`;
  const { written, write, clear } = useDraftRecord(name, writtenOf(memory));
  const save = async () => {
    const { importance, project, tags, ...rest } = written;
    const body = {
      ...rest,
      importance: Number(importance),
      projectId: project ? Number(project) : null,
      tags: listOf(tags),
    };
    const saved = memory
      ? await client.memories.patch({ params: { id: memory.id }, body })
      : await client.memories.create({ params: { identityId }, body });
    clear();
    onDone(saved.id);
  };
  const ready = written.title.trim() !== '' && written.content.trim() !== '' && written.importance !== '';
  return (
    <FormDialog
      wide
      title={memory ? t('Change the memory') : t('New memory')}
      action={t('Save')}
      ready={ready}
      onSubmit={save}
      onClose={onClose}
      onDiscard={clear}
    >
      <MemoryFields written={written} onWrite={write} />
    </FormDialog>
  );
}

function MemoryFields({ written, onWrite }: { written: Written; onWrite: (change: Partial<Written>) => void }) {
  const projects = useProjects();
  return (
    <>
      <TextField label={t('Title')} value={written.title} onChange={(title) => onWrite({ title })} required />
      <TextField
        label={t('Content')}
        value={written.content}
        onChange={(content) => onWrite({ content })}
        rows={6}
        required
      />
      <div className="form-grid">
        <SelectField
          label={t('Type')}
          value={written.type}
          onChange={(type) => onWrite({ type })}
          options={namesOf(memoryTypes)}
        />
        <SelectField
          label={t('Origin')}
          value={written.provenance}
          onChange={(provenance) => onWrite({ provenance })}
          options={namesOf(provenances)}
          hint={t(provenanceHints[written.provenance])}
        />
        <TextField
          label={t('Importance, 0 to 10')}
          type="number"
          value={written.importance}
          onChange={(importance) => onWrite({ importance })}
        />
        {(projects.data?.items.length ?? 0) > 0 && (
          <SelectField
            label={t('Project')}
            value={written.project}
            onChange={(project) => onWrite({ project })}
            options={projectOptions(projects.data?.items ?? [], t('None'))}
          />
        )}
      </div>
      <TextField label={t('Tags, between commas')} value={written.tags} onChange={(tags) => onWrite({ tags })} />
      <CheckField
        label={t('Pinned: it does not fade, and is told at the start of each session')}
        checked={written.isPinned}
        onChange={(isPinned) => onWrite({ isPinned })}
      />
      <CheckField
        label={t('Shared: other identities find it too')}
        checked={written.isShared}
        onChange={(isShared) => onWrite({ isShared })}
      />
    </>
  );
}
