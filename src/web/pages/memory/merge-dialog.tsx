// Makes one memory of two: the open one says both, the other is superseded by it and archived.
import type { MemoryDetailDto, MemoryListDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Loaded } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { useDraftRecord } from '../../ui/use-draft-record.ts';

interface Props {
  memory: MemoryDetailDto;
  other: MemoryListDto;
  onClose: () => void;
  onDone: () => void;
}

export function MergeDialog({ memory, other, onClose, onDone }: Props) {
  const { id } = other;
  const whole = useResource(`to merge ${id}`, () =>
    client.memories.get({ params: { id }, query: { countAccess: false } }),
  );
  const { written, write, clear } = useDraftRecord(`merge.${memory.id}.${id}`, { title: memory.title, content: '' });
  const content = written.content || [memory.content, whole.data?.content].filter(Boolean).join('\n\n');
  const merge = async () => {
    await client.memories.merge({ params: { id: memory.id }, body: { otherId: id, title: written.title, content } });
    clear();
    say(t('Merged'), t('“{title}” is archived', { title: other.title }));
    onDone();
  };
  return (
    <FormDialog
      wide
      title={t('Merge with “{title}”', { title: other.title })}
      action={t('Merge')}
      ready={whole.data !== null && written.title.trim() !== '' && content.trim() !== ''}
      onSubmit={merge}
      onClose={onClose}
      onDiscard={clear}
    >
      <p className="muted">
        {t('One memory stays, with the tags of both. The other is archived, linked with it, and can be brought back.')}
      </p>
      <Loaded resource={whole} rows={3}>
        {() => (
          <>
            <TextField label={t('Title')} value={written.title} onChange={(title) => write({ title })} required />
            <TextField
              label={t('Content')}
              value={content}
              onChange={(text) => write({ content: text })}
              rows={9}
              required
            />
          </>
        )}
      </Loaded>
    </FormDialog>
  );
}
