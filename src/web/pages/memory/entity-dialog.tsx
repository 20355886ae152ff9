// Names an entity; one that has the name already is the same.
import type { GraphNodeKind } from '../../../client/index.ts';
import { namesOf, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useDraftRecord } from '../../ui/use-draft-record.ts';
import { listOf } from './vocabulary.ts';

export const nodeKinds: readonly GraphNodeKind[] = [
  'Person',
  'Organization',
  'Identity',
  'Project',
  'Concept',
  'Technology',
  'Document',
  'Event',
  'Place',
  'Artifact',
  'Topic',
  'Other',
];

interface Props {
  /** Whose it is when it is not everybody's. */
  identityId: number | null;
  onClose: () => void;
  onDone: (id: number) => void;
}

const empty = { name: '', kind: 'Person' as GraphNodeKind, description: '', aliases: '', isOwn: false };

export function EntityDialog({ identityId, onClose, onDone }: Props) {
  const { written, write, clear } = useDraftRecord('entity.new', empty);
  const save = async () => {
    const { aliases, isOwn, description, ...rest } = written;
    const node = await client.graph.createNode({
      body: {
        ...rest,
        aliases: listOf(aliases),
        description: description.trim() || null,
        identityId: isOwn ? identityId : null,
      },
    });
    clear();
    onDone(node.id);
  };
  return (
    <FormDialog
      title={t('New entity')}
      action={t('Save')}
      ready={written.name.trim() !== ''}
      onSubmit={save}
      onClose={onClose}
      onDiscard={clear}
    >
      <TextField
        label={t('Name')}
        value={written.name}
        onChange={(name) => write({ name })}
        hint={t('One that goes by the name already is taken as the same.')}
        required
      />
      <div className="form-grid">
        <SelectField
          label={t('Kind')}
          value={written.kind}
          onChange={(kind) => write({ kind })}
          options={namesOf(nodeKinds)}
        />
        <TextField
          name="aliases"
          label={t('Other names, between commas')}
          value={written.aliases}
          onChange={(aliases) => write({ aliases })}
        />
      </div>
      <TextField
        label={t('Description')}
        value={written.description}
        onChange={(description) => write({ description })}
        rows={3}
      />
      {identityId !== null && (
        <CheckField
          label={t('Known to my identity alone')}
          checked={written.isOwn}
          onChange={(isOwn) => write({ isOwn })}
        />
      )}
    </FormDialog>
  );
}
