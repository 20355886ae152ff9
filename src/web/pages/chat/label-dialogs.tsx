// Dialogs that file chats: which folder and tags one has, and what a folder or tag of all is called.
import { useState } from 'react';
import type { ChatLabelsDto, ChatSessionDto } from '../../../client/index.ts';
import { plural, t } from '../../base/i18n.ts';
import { patchFromHere } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { openFolder } from '../../state/open-folders.ts';
import { useResource } from '../../state/resource.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

interface OfChat {
  session: Pick<ChatSessionDto, 'id' | 'folder' | 'tags'>;
  onDone: () => void;
  onClose: () => void;
}

/** Folders and tags that this person has, archived chats included. */
function useLabels(): ChatLabelsDto {
  const labels = useResource('chat labels to choose from', () => client.chat.labels({ query: {} }));
  return labels.data ?? { folders: [], tags: [] };
}

interface OffersProps {
  label: string;
  names: readonly string[];
  isChosen: (name: string) => boolean;
  onToggle: (name: string) => void;
}

/** What is there already, to press instead of typing. */
function Offers({ label, names, isChosen, onToggle }: OffersProps) {
  if (names.length === 0) return null;
  return (
    <fieldset className="label-offers">
      <legend className="muted small">{label}</legend>
      {names.map((name) => (
        <button
          key={name}
          type="button"
          className="chip label-chip"
          aria-pressed={isChosen(name)}
          onClick={() => onToggle(name)}
        >
          {name}
        </button>
      ))}
    </fieldset>
  );
}

export function MoveDialog({ session, onDone, onClose }: OfChat) {
  const [folder, setFolder] = useState(session.folder ?? '');
  const { folders } = useLabels();
  const move = async () => {
    const moved = await client.chat.patch({ params: { id: session.id }, body: { folder } });
    if (moved.folder !== null) openFolder(moved.folder);
    onDone();
  };
  return (
    <FormDialog title={t('Move to a folder')} action={t('Move')} onSubmit={move} onClose={onClose}>
      <TextField
        label={t('Folder')}
        value={folder}
        onChange={setFolder}
        placeholder={t('In no folder')}
        hint={t('A new name makes a folder. With a slash it lies in another one: Work/Boats.')}
      />
      <Offers
        label={t('Your folders')}
        names={folders.map(({ name }) => name)}
        isChosen={(name) => name === folder}
        onToggle={(name) => setFolder(name === folder ? '' : name)}
      />
    </FormDialog>
  );
}

const listed = (text: string) =>
  text
    .split(',')
    .map((one) => one.trim())
    .filter((one) => one !== '');

export function TagsDialog({ session, onDone, onClose }: OfChat) {
  const [text, setText] = useState(session.tags.join(', '));
  const { tags } = useLabels();
  const chosen = listed(text);
  const save = async () => {
    await client.chat.patch({ params: { id: session.id }, body: { tags: chosen } });
    onDone();
  };
  const toggle = (name: string) =>
    setText((chosen.includes(name) ? chosen.filter((one) => one !== name) : [...chosen, name]).join(', '));
  return (
    <FormDialog title={t('Tags of the chat')} action={t('Save')} onSubmit={save} onClose={onClose}>
      <TextField label={t('Tags')} value={text} onChange={setText} hint={t('Separated by commas, in lower case.')} />
      <Offers
        label={t('Your tags')}
        names={tags.map(({ name }) => name)}
        isChosen={(name) => chosen.includes(name)}
        onToggle={toggle}
      />
    </FormDialog>
  );
}

export function RenameFolder({ path, onClose }: { path: string; onClose: () => void }) {
  const [to, setTo] = useState(path);
  const rename = async () => {
    await client.chat.renameFolder({ body: { folder: path, to } });
    openFolder(to);
  };
  return (
    <FormDialog
      title={t('Rename the folder {name}', { name: path })}
      action={t('Rename')}
      ready={to.trim() !== ''}
      onSubmit={rename}
      onClose={onClose}
    >
      <TextField label={t('Folder')} value={to} onChange={setTo} hint={t('Folders below it go along.')} />
    </FormDialog>
  );
}

export function RemoveFolder({ path, count, onClose }: { path: string; count: number; onClose: () => void }) {
  return (
    <Confirm
      title={t('Remove the folder {name}?', { name: path })}
      action={t('Remove folder')}
      onConfirm={() => client.chat.renameFolder({ body: { folder: path, to: null } })}
      onClose={onClose}
    >
      <p>{plural(count, 'Its {n} chat stays, in no folder.', 'Its {n} chats stay, in no folder.')}</p>
    </Confirm>
  );
}

export function RenameTag({ tag, onClose }: { tag: string; onClose: () => void }) {
  const [to, setTo] = useState(tag);
  const rename = async () => {
    const patch = patchFromHere();
    await client.chat.renameTag({ body: { tag, to } });
    patch({ tag: to.trim().toLowerCase() });
  };
  return (
    <FormDialog
      title={t('Rename the tag {name}', { name: tag })}
      action={t('Rename')}
      ready={to.trim() !== ''}
      onSubmit={rename}
      onClose={onClose}
    >
      <TextField label={t('Tag')} value={to} onChange={setTo} />
    </FormDialog>
  );
}

export function RemoveTag({ tag, count, onClose }: { tag: string; count: number; onClose: () => void }) {
  const remove = async () => {
    const patch = patchFromHere();
    await client.chat.renameTag({ body: { tag, to: null } });
    patch({ tag: null });
  };
  return (
    <Confirm
      title={t('Remove the tag {name}?', { name: tag })}
      action={t('Remove tag')}
      onConfirm={remove}
      onClose={onClose}
    >
      <p>
        {plural(count, '{n} chat has it. It stays, without the tag.', '{n} chats have it. They stay, without the tag.')}
      </p>
    </Confirm>
  );
}
