// Writes a soul over an identity: a file or Markdown, what it would become, and what of it has no place here.
import { useState } from 'react';
import { useDraft } from '../../base/draft.ts';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';

type Soul = Awaited<ReturnType<typeof client.souls.preview>>;

interface Props {
  id: number;
  onClose: () => void;
  onDone: () => void;
}

export function ImportSoul({ id, onClose, onDone }: Props) {
  const { text, write, clear } = useDraft(`soul.${id}`);
  const [soul, setSoul] = useState<Soul | null>(null);
  const { act } = useAction();
  const take = (file: File | undefined) => {
    if (!file) return;
    const body = new FormData();
    body.set('file', file);
    void act(async () => {
      const reading = await client.souls.read({ body });
      write(reading.markdown);
      setSoul(reading.soul);
    });
  };
  const submit = async () => {
    if (!soul) return setSoul(await client.souls.preview({ body: { markdown: text } }));
    await client.souls.create({ body: { markdown: text, overwriteIdentityId: id } });
    clear();
    say(t('Imported'));
    onDone();
    onClose();
  };
  return (
    <FormDialog
      title={t('Import a soul')}
      action={soul ? t('Replace the soul') : t('Preview')}
      ready={text.trim() !== ''}
      wide
      keepOpen
      onSubmit={submit}
      onClose={onClose}
      onDiscard={clear}
    >
      <label className="field">
        <span>{t('File: SOUL.md, soul.json or a ZIP')}</span>
        <input type="file" accept=".md,.json,.zip" onChange={(event) => take(event.target.files?.[0])} />
      </label>
      <TextField
        name="markdown"
        label={t('Markdown')}
        value={text}
        onChange={(next) => {
          write(next);
          setSoul(null);
        }}
        rows={8}
        mono
      />
      {soul && <Preview soul={soul} />}
    </FormDialog>
  );
}

function Preview({ soul }: { soul: Soul }) {
  const lists = [
    [t('Traits'), soul.traits],
    [t('Focus areas'), soul.focusAreas],
    [t('Boundaries'), soul.boundaries],
  ] as const;
  return (
    <section className="stack tight" aria-label={t('Preview')}>
      <h3>{soul.displayName || soul.name}</h3>
      <dl className="facts">
        {soul.tone && (
          <div>
            <dt>{t('Tone')}</dt>
            <dd>{soul.tone}</dd>
          </div>
        )}
        {lists
          .filter(([, items]) => items.length > 0)
          .map(([name, items]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{items.join(' · ')}</dd>
            </div>
          ))}
      </dl>
      {soul.notMapped.length > 0 && (
        <div className="banner" data-tone="warn">
          {t('Not imported: {what}', { what: soul.notMapped.join('; ') })}
        </div>
      )}
    </section>
  );
}
