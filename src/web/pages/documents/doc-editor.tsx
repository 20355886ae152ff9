// Writes a document: Markdown beside what it will look like. A draft stays in this tab until it is saved.
import { useDeferredValue, useState } from 'react';
import type { ApiError, DocDto } from '../../../client/index.ts';
import type { Draft as Kept } from '../../base/draft.ts';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { Button } from '../../ui/button.tsx';
import { Field, TextField } from '../../ui/field.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';

interface Props {
  doc: DocDto;
  /** Of the whole document, whose tab says that there is one. */
  kept: Kept;
  onSaved: (saved: DocDto) => void;
  onClose: () => void;
}

interface Draft {
  title: string;
  content: string;
  /** The version that it was begun from: another one meanwhile is not written over. */
  version: number;
}

const draftOf = ({ title, content, version }: DocDto): Draft => ({ title, content, version });
function readDraft(text: string, doc: DocDto): Draft {
  try {
    return text === '' ? draftOf(doc) : (JSON.parse(text) as Draft);
  } catch {
    return draftOf(doc);
  }
}

export function DocEditor({ doc, kept, onSaved, onClose }: Props) {
  const draft = readDraft(kept.text, doc);
  const [summary, setSummary] = useState('');
  const preview = useDeferredValue(draft.content);
  const { busy, error, act } = useAction('shown');
  const write = (change: Partial<Draft>) => kept.write(JSON.stringify({ ...draft, ...change }));
  const body = { ...draft, ...(summary.trim() && { changeSummary: summary.trim() }) };
  const save = () => {
    if (busy) return;
    void act(async () => {
      onSaved(await client.docs.patch({ params: { id: doc.id }, body }));
      kept.clear();
      say(t('Saved'));
      onClose();
    });
  };
  const isStale = error?.code === 'PRECONDITION_FAILED';
  return (
    <div className="doc-write">
      <TextField label={t('Title')} value={draft.title} onChange={(title) => write({ title })} required />
      <div className="doc-panes">
        <Field label={t('Text in Markdown')}>
          {(id) => (
            <Writing
              id={id}
              text={draft.content}
              isSaving={busy}
              onWrite={(content) => write({ content })}
              onSave={save}
            />
          )}
        </Field>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keys */}
        <section className="doc-preview" aria-label={t('Preview')} tabIndex={0}>
          <Markdown text={preview} />
        </section>
      </div>
      {error && <Trouble error={error} isStale={isStale} onAnyway={() => write({ version: doc.version })} />}
      <div className="doc-save">
        <TextField label={t('What has changed')} value={summary} onChange={setSummary} placeholder={t('Optional')} />
        <div className="row">
          <Button
            onClick={() => {
              kept.clear();
              onClose();
            }}
          >
            {t('Discard')}
          </Button>
          <Button kind="primary" disabled={busy || draft.title.trim() === ''} onClick={save}>
            {t('Save')}
          </Button>
        </div>
      </div>
    </div>
  );
}

function Trouble({ error, isStale, onAnyway }: { error: ApiError; isStale: boolean; onAnyway: () => void }) {
  return (
    <p className="doc-trouble" role="alert">
      {error.message} {isStale ? t('Look at its versions; save again to write over them.') : error.hint}{' '}
      {isStale && (
        <Button size="small" onClick={onAnyway}>
          {t('Take my text')}
        </Button>
      )}
    </p>
  );
}

interface WritingProps {
  id: string;
  text: string;
  /** What would be written then belongs to neither version. */
  isSaving: boolean;
  onWrite: (text: string) => void;
  onSave: () => void;
}

function Writing({ id, text, isSaving, onWrite, onSave }: WritingProps) {
  return (
    <textarea
      id={id}
      className="input mono doc-area"
      value={text}
      readOnly={isSaving}
      spellCheck
      onChange={(event) => onWrite(event.target.value)}
      onKeyDown={(event) => {
        if (event.key !== 's' || !(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        onSave();
      }}
    />
  );
}
