// Makes a prompt, changes or reads one, with its text as it will be; its former texts and its end are behind buttons.
import { useState } from 'react';
import type { PromptDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Loaded } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { useDraftRecord } from '../../ui/use-draft-record.ts';
import { Preview } from './preview.tsx';
import { PromptVersions } from './prompt-versions.tsx';

interface Ends {
  onClose: () => void;
  /** Something was changed. */
  onDone: () => void;
}

const writtenOf = (prompt: PromptDto | null) => ({
  name: prompt?.name ?? '',
  command: prompt?.command ?? '',
  description: prompt?.description ?? '',
  tags: (prompt?.tags ?? []).join(', '),
  text: prompt?.text ?? '',
  isShared: prompt?.isShared ?? false,
});
type Written = ReturnType<typeof writtenOf>;

const tagsIn = (text: string) => [...new Set(text.split(',').map((tag) => tag.trim()))].filter(Boolean);

/** A command from a name: `Weekly report` is `weekly-report`. */
const commandOf = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
    .slice(0, 50);

const bodyOf = ({ tags, description, ...rest }: Written) => ({
  ...{ ...rest, command: rest.command || commandOf(rest.name) },
  ...{ tags: tagsIn(tags), description: description || null },
});

export function NewPrompt({ onClose, onDone }: Ends) {
  const { written, write, clear } = useDraftRecord('prompt.new', writtenOf(null));
  const save = async () => {
    await client.prompts.create({ body: bodyOf(written) });
    clear();
    onDone();
  };
  return (
    <FormDialog
      wide
      title={t('New prompt')}
      action={t('Save')}
      ready={isComplete(written)}
      onSubmit={save}
      onClose={onClose}
      onDiscard={clear}
    >
      <PromptFields written={written} onWrite={write} mayShare />
    </FormDialog>
  );
}

export function OpenPrompt({ id, ...ends }: Ends & { id: number }) {
  const found = useResource(`prompt ${id}`, () => client.prompts.get({ params: { id } }));
  if (!found.data)
    return (
      <Dialog title={t('Prompt')} onClose={ends.onClose}>
        <Loaded resource={found}>{() => null}</Loaded>
      </Dialog>
    );
  const { data: prompt } = found;
  const onDone = () => {
    found.reload();
    ends.onDone();
  };
  return prompt.mayChange ? (
    <ChangePrompt key={prompt.version} prompt={prompt} {...ends} onDone={onDone} />
  ) : (
    <ReadPrompt prompt={prompt} onClose={ends.onClose} />
  );
}

function ChangePrompt({ prompt, onClose, onDone }: Ends & { prompt: PromptDto }) {
  const { id, name, version } = prompt;
  const { written, write, clear } = useDraftRecord(`prompt.${id}.${version}`, writtenOf(prompt));
  const [asked, setAsked] = useState<'delete' | 'versions' | null>(null);
  const save = async () => {
    await client.prompts.patch({ params: { id }, body: { ...bodyOf(written), version } });
    clear();
    onDone();
  };
  const remove = async () => {
    await client.prompts.remove({ params: { id } });
    clear();
    say(t('Deleted'));
    onClose();
    onDone();
  };
  const back = () => setAsked(null);
  if (asked === 'versions') return <PromptVersions prompt={prompt} onClose={back} onRestored={onDone} />;
  if (asked === 'delete')
    return (
      <Confirm title={t('Delete the prompt {name}?', { name })} action={t('Delete')} onConfirm={remove} onClose={back}>
        <p>
          {prompt.isShared
            ? t('Nobody can use it any more. Its versions are deleted with it.')
            : t('Its versions are deleted with it.')}
        </p>
      </Confirm>
    );
  return (
    <FormDialog
      wide
      title={name}
      action={t('Save')}
      ready={isComplete(written)}
      onSubmit={save}
      onClose={onClose}
      onDiscard={clear}
    >
      <PromptFields written={written} onWrite={write} mayShare={prompt.isOwn || !prompt.isShared} />
      <div className="row">
        <Button size="small" onClick={() => setAsked('versions')}>
          {t('Version {n}', { n: version })}
        </Button>
        <Button kind="danger" size="small" onClick={() => setAsked('delete')}>
          {t('Delete')}
        </Button>
      </div>
    </FormDialog>
  );
}

function ReadPrompt({ prompt, onClose }: Pick<Ends, 'onClose'> & { prompt: PromptDto }) {
  const { name, command, description, createdByName, text } = prompt;
  return (
    <Dialog wide title={name} onClose={onClose}>
      <p className="muted">
        <span className="mono">/{command}</span> · {t('shared by {name}', { name: createdByName })}
      </p>
      {description && <p>{description}</p>}
      <Preview text={text} />
    </Dialog>
  );
}

const isComplete = ({ name, command, text }: Written) =>
  name.trim() !== '' && text !== '' && (command !== '' || commandOf(name) !== '');

interface FieldsProps {
  written: Written;
  onWrite: (change: Partial<Written>) => void;
  mayShare: boolean;
}

function PromptFields({ written, onWrite, mayShare }: FieldsProps) {
  return (
    <>
      <div className="form-grid">
        <TextField label={t('Name')} value={written.name} onChange={(name) => onWrite({ name })} required />
        <TextField
          label={t('Command')}
          value={written.command}
          onChange={(command) => onWrite({ command: command.replace(/^\//, '').toLowerCase() })}
          placeholder={commandOf(written.name) || 'weekly-report'}
          hint={t('What is typed after / in a chat.')}
          mono
        />
        <TextField
          label={t('Tags, with commas between them')}
          value={written.tags}
          onChange={(tags) => onWrite({ tags })}
        />
      </div>
      <TextField
        label={t('Description')}
        value={written.description}
        onChange={(description) => onWrite({ description })}
      />
      <div className="prompt-edit">
        <TextField
          label={t('Text')}
          value={written.text}
          onChange={(text) => onWrite({ text })}
          rows={10}
          hint={'{{topic}} {{tone:friendly}} {{tone:friendly|formal}}'}
          required
        />
        <Preview text={written.text} />
      </div>
      {mayShare && (
        <CheckField
          label={t('Everybody here may use it')}
          checked={written.isShared}
          onChange={(isShared) => onWrite({ isShared })}
        />
      )}
    </>
  );
}
