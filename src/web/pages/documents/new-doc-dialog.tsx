// Makes a document: its title, where it stands, and who may see it.
import { useState } from 'react';
import type { DocClassification, DocNavNodeDto, DocType } from '../../../client/index.ts';
import { namesOf, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { classifications, docTypes } from './kinds.ts';

interface Props {
  projectId: number;
  roots: readonly DocNavNodeDto[];
  /** The one that is open, below which it stands unless another place is chosen. */
  parentId: number | null;
  onClose: () => void;
  onDone: (id: number) => void;
}

/** Every document with how deep it stands. */
function* flat(nodes: readonly DocNavNodeDto[], depth = 0): Generator<[DocNavNodeDto, number]> {
  for (const node of nodes) {
    yield [node, depth];
    yield* flat(node.children, depth + 1);
  }
}

export function NewDocDialog({ projectId, roots, parentId, onClose, onDone }: Props) {
  const [title, setTitle] = useState('');
  const [parent, setParent] = useState(parentId === null ? '' : String(parentId));
  const [type, setType] = useState<DocType>('Page');
  const [classification, setClassification] = useState<DocClassification>('Internal');
  const places = [...flat(roots)].map(
    ([node, depth]) => [String(node.id), `${'– '.repeat(depth)}${node.title}`] as const,
  );
  const create = async () => {
    const body = { title, type, classification, parentDocId: parent ? Number(parent) : null };
    onDone((await client.docs.create({ params: { projectId }, body })).id);
  };
  return (
    <FormDialog
      title={t('New document')}
      action={t('Create')}
      ready={title.trim() !== ''}
      onSubmit={create}
      onClose={onClose}
    >
      <TextField label={t('Title')} value={title} onChange={setTitle} required />
      <SelectField
        label={t('Below')}
        value={parent}
        onChange={setParent}
        options={[['', t('At the top')], ...places]}
      />
      <div className="form-grid">
        <SelectField label={t('Kind')} value={type} onChange={setType} options={namesOf(docTypes)} />
        <SelectField
          label={t('Classification')}
          value={classification}
          onChange={setClassification}
          options={namesOf(classifications)}
          hint={t('Only public documents can be published.')}
        />
      </div>
    </FormDialog>
  );
}
