// Relates an entity with another one, or asks for the way to it.
import { useState } from 'react';
import type { GraphNodeDetailDto } from '../../../client/index.ts';
import { t, words } from '../../base/i18n.ts';
import { patchQuery } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { CheckField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { SearchField } from '../../ui/search-field.tsx';

interface Props {
  node: GraphNodeDetailDto;
  onClose: () => void;
}

export function RelateDialog({ node, onClose, onDone }: Props & { onDone: () => void }) {
  const [other, setOther] = useState<number | null>(null);
  const [relation, setRelation] = useState('');
  const [since, setSince] = useState('');
  const [fromOther, setFromOther] = useState(false);
  const relate = async () => {
    const [fromNodeId, toNodeId] = fromOther ? [other ?? 0, node.id] : [node.id, other ?? 0];
    const validFrom = since ? { validFromUtc: new Date(`${since}T00:00`).toISOString() } : {};
    await client.graph.createEdge({ body: { fromNodeId, toNodeId, relation, ...validFrom } });
    onDone();
  };
  return (
    <FormDialog
      title={t('Relate {name}', { name: node.name })}
      action={t('Relate')}
      ready={other !== null && relation.trim() !== ''}
      onSubmit={relate}
      onClose={onClose}
    >
      <TextField
        name="relation"
        label={t('How')}
        value={relation}
        onChange={setRelation}
        placeholder={t('works for')}
        required
      />
      <EntityChoice exceptId={node.id} chosen={other} onChoose={setOther} />
      <CheckField label={t('It goes from the other one to this')} checked={fromOther} onChange={setFromOther} />
      <TextField name="validFromUtc" label={t('Since')} type="date" value={since} onChange={setSince} />
    </FormDialog>
  );
}

export function WayDialog({ node, onClose }: Props) {
  const [other, setOther] = useState<number | null>(null);
  const show = async () => patchQuery({ node: node.id, to: other });
  return (
    <FormDialog
      title={t('The way from {name}', { name: node.name })}
      action={t('Show the way')}
      ready={other !== null}
      onSubmit={show}
      onClose={onClose}
    >
      <EntityChoice exceptId={node.id} chosen={other} onChoose={setOther} />
    </FormDialog>
  );
}

interface ChoiceProps {
  exceptId: number;
  chosen: number | null;
  onChoose: (id: number) => void;
}

function EntityChoice({ exceptId, chosen, onChoose }: ChoiceProps) {
  const [q, setQ] = useState('');
  const found = useKept(
    useResource(`entity choice ${q}`, () => client.graph.nodes({ query: { pageSize: 12, ...(q ? { q } : {}) } })),
  );
  return (
    <>
      <SearchField label={t('Search entities')} q={q} onSearch={setQ} />
      <fieldset className="choices">
        <legend>{t('Entity')}</legend>
        {(found.data?.items ?? [])
          .filter(({ id }) => id !== exceptId)
          .map(({ id, name, kind }) => (
            <label key={id} className="check">
              <input type="radio" name="entity" checked={chosen === id} onChange={() => onChoose(id)} />
              <span className="grow">
                {name} <span className="muted small">{words(kind)}</span>
              </span>
            </label>
          ))}
      </fieldset>
    </>
  );
}
