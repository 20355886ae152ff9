// Remembers something about the reader, or corrects it; who may see it is chosen here.
import type { MemoryVisibility, PersonalMemoryCategory, PersonalMemoryDto } from '../../../client/index.ts';
import { namesOf, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useDraftRecord } from '../../ui/use-draft-record.ts';
import { nameOf, useIdentities } from './chosen.tsx';
import { categories, visibilities, visibilityText } from './personal-words.ts';
import { listOf } from './vocabulary.ts';

interface Props {
  memory?: PersonalMemoryDto;
  onClose: () => void;
  onDone: () => void;
}

const writtenOf = (memory?: PersonalMemoryDto) => ({
  content: memory?.content ?? '',
  title: memory?.title ?? '',
  category: memory?.category ?? ('Other' as PersonalMemoryCategory),
  visibility: memory?.visibility ?? ('Private' as MemoryVisibility),
  identityIds: memory?.identityIds ?? [],
  tags: (memory?.tags ?? []).join(', '),
  expires: memory?.expiresAtUtc?.slice(0, 10) ?? '',
});

export function PersonalDialog({ memory, onClose, onDone }: Props) {
  const name = memory ? `personal.${memory.id}` : 'personal.new';
  const { written, write, clear } = useDraftRecord(name, writtenOf(memory));
  const save = async () => {
    const { visibility, identityIds, tags, expires, title, ...rest } = written;
    const body = {
      ...rest,
      title: title.trim() || null,
      tags: listOf(tags),
      expiresAtUtc: expires ? new Date(`${expires}T00:00`).toISOString() : null,
    };
    if (memory) {
      const params = { id: memory.id };
      await client.personalMemories.patch({ params, body });
      await client.personalMemories.share({ params, body: { visibility, identityIds } });
    } else await client.personalMemories.create({ body: { ...body, visibility, identityIds } });
    clear();
    onDone();
  };
  const needsSome = written.visibility === 'SelectedIdentities' && written.identityIds.length === 0;
  return (
    <FormDialog
      title={memory ? t('Change what is remembered') : t('Remember this')}
      action={t('Save')}
      ready={written.content.trim() !== '' && !needsSome}
      onSubmit={save}
      onClose={onClose}
      onDiscard={clear}
    >
      <TextField
        name="content"
        label={t('What to remember')}
        value={written.content}
        onChange={(content) => write({ content })}
        rows={3}
        required
      />
      <TextField label={t('Title, if it needs one')} value={written.title} onChange={(title) => write({ title })} />
      <div className="form-grid">
        <SelectField
          label={t('Category')}
          value={written.category}
          onChange={(category) => write({ category })}
          options={namesOf(categories)}
        />
        <TextField
          name="expiresAtUtc"
          label={t('Until')}
          type="date"
          value={written.expires}
          onChange={(expires) => write({ expires })}
        />
        <TextField label={t('Tags, between commas')} value={written.tags} onChange={(tags) => write({ tags })} />
        <SelectField
          label={t('Who sees it')}
          value={written.visibility}
          onChange={(visibility) => write({ visibility })}
          options={visibilities.map((one) => [one, visibilityText(one)] as const)}
        />
      </div>
      {written.visibility === 'SelectedIdentities' && (
        <Seers chosen={written.identityIds} onChange={(identityIds) => write({ identityIds })} />
      )}
    </FormDialog>
  );
}

function Seers({ chosen, onChange }: { chosen: readonly number[]; onChange: (chosen: number[]) => void }) {
  const identities = useIdentities();
  return (
    <fieldset className="choices">
      <legend>{t('Identities that see it')}</legend>
      {(identities.data?.items ?? []).map((one) => (
        <CheckField
          key={one.id}
          label={nameOf(one)}
          checked={chosen.includes(one.id)}
          onChange={(has) => onChange(has ? [...chosen, one.id] : chosen.filter((id) => id !== one.id))}
        />
      ))}
    </fieldset>
  );
}
