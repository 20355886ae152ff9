// What a document is beside its text: kind, classification, names, place, tags.
import { useState } from 'react';
import type { DocDto } from '../../../client/index.ts';
import { namesOf, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { classifications, docTypes } from './kinds.ts';

interface Props {
  doc: DocDto;
  onSaved: (saved: DocDto) => void;
  onDelete: () => void;
}

const writtenOf = ({ type, classification, path, slug, tags, excerpt, sortOrder, isPinned, includeInNav }: DocDto) => ({
  type,
  classification,
  path,
  slug: slug ?? '',
  tags: tags ?? '',
  excerpt: excerpt ?? '',
  place: String(sortOrder + 1),
  isPinned,
  includeInNav,
});

export function DocSettings({ doc, onSaved, onDelete }: Props) {
  // What was written here stays while others change the rest.
  const [change, setChange] = useState<Partial<ReturnType<typeof writtenOf>>>({});
  const before = writtenOf(doc);
  const written = { ...before, ...change };
  const { busy, error, act } = useAction('shown');
  const set = (more: typeof change) => setChange({ ...change, ...more });
  const save = () =>
    act(async () => {
      const { place, ...fields } = written;
      const changed = Object.entries(fields).filter(([name, value]) => before[name as keyof typeof before] !== value);
      const moved = place === before.place ? {} : { sortOrder: Math.max(0, Number(place) - 1) };
      const body = { ...Object.fromEntries(changed), ...moved };
      onSaved(await client.docs.patch({ params: { id: doc.id }, body }));
      setChange({});
      say(t('Saved'));
    });
  return (
    <form
      className="stack doc-settings"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <div className="form-grid">
        <SelectField
          label={t('Kind')}
          value={written.type}
          onChange={(type) => set({ type })}
          options={namesOf(docTypes)}
        />
        <SelectField
          label={t('Classification')}
          value={written.classification}
          onChange={(classification) => set({ classification })}
          options={namesOf(classifications)}
        />
        <TextField
          label={t('Place among its neighbours')}
          type="number"
          value={written.place}
          onChange={(place) => set({ place })}
        />
      </div>
      <TextField
        label={t('Path')}
        value={written.path}
        onChange={(path) => set({ path })}
        hint={t('Former paths go on leading here.')}
      />
      <TextField
        label={t('Slug')}
        value={written.slug}
        onChange={(slug) => set({ slug })}
        hint={t('Its address on the public site.')}
      />
      <TextField label={t('Tags, with commas')} value={written.tags} onChange={(tags) => set({ tags })} />
      <TextField label={t('Excerpt')} value={written.excerpt} onChange={(excerpt) => set({ excerpt })} rows={2} />
      <CheckField
        label={t('In the navigation of the site')}
        checked={written.includeInNav}
        onChange={(includeInNav) => set({ includeInNav })}
      />
      <CheckField
        label={t('The home page of the site')}
        checked={written.isPinned}
        onChange={(isPinned) => set({ isPinned })}
      />
      {error && (
        <p className="doc-trouble" role="alert">
          {error.message} {error.hint}
        </p>
      )}
      <div className="row">
        <Button kind="danger" onClick={onDelete}>
          {t('Delete')}
        </Button>
        <Button kind="primary" type="submit" disabled={busy}>
          {t('Save settings')}
        </Button>
      </div>
    </form>
  );
}
