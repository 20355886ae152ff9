// One memory or fact of an import: its title, text and importance, as they shall be remembered.
import type { ImportItemDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { Dialog } from '../../ui/dialog.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useDraftRecord } from '../../ui/use-draft-record.ts';
import { type Deciding, nameOfItem } from './entries.tsx';

interface Props extends Deciding {
  item: ImportItemDto;
  onClose: () => void;
}

export function ItemDialog(props: Props) {
  const { item, canDecide, onClose } = props;
  if (canDecide) return <Decided {...props} />;
  return (
    <Dialog title={nameOfItem(item)} onClose={onClose}>
      <p className="import-text">{item.content}</p>
    </Dialog>
  );
}

function Decided({ importId, item, onDone, onClose }: Props) {
  const { id, kind } = item;
  const { written, write, clear } = useDraftRecord(`import.${importId}.${id}`, {
    title: item.title ?? '',
    content: item.content,
    importance: String(item.importance),
    approved: item.approved,
  });
  const save = async () => {
    const title = written.title.trim();
    const { approved, content } = written;
    const decision = { id, approved, content, importance: Number(written.importance), ...(title && { title }) };
    await client.imports.decide({ params: { id: importId }, body: { items: [decision] } });
    clear();
    onDone();
  };
  return (
    <FormDialog
      title={kind === 'Fact' ? t('Fact {key}', { key: item.key ?? '' }) : t('Memory')}
      action={t('Save')}
      ready={written.content.trim() !== '' && written.importance !== ''}
      onSubmit={save}
      onClose={onClose}
      onDiscard={clear}
    >
      {kind === 'Memory' && (
        <TextField label={t('Title')} value={written.title} onChange={(title) => write({ title })} />
      )}
      <TextField
        label={kind === 'Fact' ? t('Value') : t('Text')}
        value={written.content}
        onChange={(content) => write({ content })}
        rows={5}
        required
      />
      <TextField
        label={t('Importance, 0 to 100')}
        type="number"
        value={written.importance}
        onChange={(importance) => write({ importance })}
      />
      <CheckField label={t('Include it')} checked={written.approved} onChange={(approved) => write({ approved })} />
    </FormDialog>
  );
}
