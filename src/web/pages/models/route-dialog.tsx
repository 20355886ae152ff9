// Makes a route, or changes one: for whom, by which policy, and among which models.
import { useState } from 'react';
import type { AIModelDto, AIRouteDto, AIRoutePolicy } from '../../../client/index.ts';
import { namesOf, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Loaded } from '../../ui/states.tsx';

const policies: AIRoutePolicy[] = [
  'Priority',
  'Weighted',
  'RoundRobin',
  'LowestCost',
  'LowestLatency',
  'LeastBusy',
  'Healthiest',
];

interface Props {
  route?: AIRouteDto;
  onClose: () => void;
  onDone: () => void;
}

export function RouteDialog({ route, onClose, onDone }: Props) {
  const [name, setName] = useState(route?.name ?? '');
  const [description, setDescription] = useState(route?.description ?? '');
  const [policy, setPolicy] = useState<AIRoutePolicy>(route?.policy ?? 'Priority');
  const [roles, setRoles] = useState(route?.matchRoles.join(', ') ?? '');
  const [isDefault, setDefault] = useState(route?.isDefault ?? false);
  const [chosen, setChosen] = useState<number[]>(() => route?.targets.map((target) => target.aiModelId) ?? []);
  const models = useResource('route models', () =>
    client.aiModels.list({ query: { enabled: true, kind: 'Chat', pageSize: 200 } }),
  );
  const save = async () => {
    // The order in which they were chosen is their priority; what else a target says is kept.
    const targets = chosen.map((aiModelId, index) => ({
      ...route?.targets.find((target) => target.aiModelId === aiModelId),
      aiModelId,
      priority: index + 1,
    }));
    const matchRoles = roles.split(',').flatMap((role) => role.trim() || []);
    const body = { name, description: description || null, policy, matchRoles, isDefault };
    if (route) {
      await client.aiRoutes.patch({ params: { id: route.id }, body });
      await client.aiRoutes.setTargets({ params: { id: route.id }, body: { targets } });
    } else await client.aiRoutes.create({ body: { ...body, targets } });
    onDone();
  };
  return (
    <FormDialog
      title={route ? t('Change {name}', { name: route.name }) : t('New route')}
      action={t('Save')}
      ready={name.trim() !== '' && chosen.length > 0}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField label={t('Name')} value={name} onChange={setName} required />
      <TextField label={t('Description')} value={description} onChange={setDescription} />
      <SelectField label={t('Policy')} value={policy} onChange={setPolicy} options={namesOf(policies)} />
      <Loaded resource={models} rows={3}>
        {({ items }) => <Targets models={items} chosen={chosen} onChange={setChosen} />}
      </Loaded>
      <TextField
        label={t('Roles')}
        value={roles}
        onChange={setRoles}
        placeholder={t('all')}
        hint={t('Separate several with commas.')}
      />
      <CheckField label={t('Default for everything else')} checked={isDefault} onChange={setDefault} />
    </FormDialog>
  );
}

interface TargetsProps {
  models: AIModelDto[];
  chosen: readonly number[];
  onChange: (chosen: number[]) => void;
}

function Targets({ models, chosen, onChange }: TargetsProps) {
  if (models.length === 0) return <p className="muted">{t('Connect a provider first; its models appear here.')}</p>;
  const toggle = (id: number) => onChange(chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id]);
  return (
    <fieldset className="choice-list">
      <legend>{t('Targets, in order')}</legend>
      {models.map((model) => (
        <label key={model.id} className="check">
          <input type="checkbox" checked={chosen.includes(model.id)} onChange={() => toggle(model.id)} />
          <span className="faint num">{chosen.indexOf(model.id) + 1 || ''}</span>
          <span className="mono small grow">{model.modelId}</span>
        </label>
      ))}
    </fieldset>
  );
}
