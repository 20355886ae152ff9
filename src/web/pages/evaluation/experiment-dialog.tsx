// Plans an experiment: on which dataset, what is tried, how answers are judged, and for how much.
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { goFromHere } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';

interface Tried {
  key: number;
  modelId: string;
  role: string;
}

interface Judging {
  exact: boolean;
  contains: boolean;
  person: boolean;
  rubric: string;
  schema: string;
}

const nothing: Judging = { exact: false, contains: true, person: false, rubric: '', schema: '' };

/** @throws SyntaxError for a schema that is no JSON */
function scorersOf({ exact, contains, person, rubric, schema }: Judging) {
  return [
    ...(exact ? [{ kind: 'Exact' as const, name: 'exact' }] : []),
    ...(contains ? [{ kind: 'Contains' as const, name: 'contains' }] : []),
    ...(schema.trim() ? [{ kind: 'JsonSchema' as const, name: 'schema', schema: JSON.parse(schema) }] : []),
    ...(rubric.trim() ? [{ kind: 'Model' as const, name: 'rubric', rubric }] : []),
    ...(person ? [{ kind: 'Person' as const, name: 'person' }] : []),
  ];
}

const nameOf = ({ modelId, role }: Tried) => [modelId, role].filter(Boolean).join(' · ') || t('default');

export function ExperimentDialog({ onClose }: { onClose: () => void }) {
  const datasets = useResource('datasets to try', () => client.evaluationDatasets.list({ query: { pageSize: 200 } }));
  const identities = useResource('identities to try', () =>
    client.identities.list({ query: { pageSize: 200, sort: 'name' } }),
  );
  const [name, setName] = useState('');
  const [datasetId, setDataset] = useState('');
  const [identityId, setIdentity] = useState('');
  const [tried, setTried] = useState<Tried[]>([{ key: 0, modelId: '', role: '' }]);
  const [judging, setJudging] = useState(nothing);
  const [maxCost, setMaxCost] = useState('1');
  const sets = datasets.data?.items ?? [];
  const people = identities.data?.items ?? [];
  const dataset = datasetId || String(sets[0]?.id ?? '');
  const identity = identityId || String(people[0]?.id ?? '');
  const save = async () => {
    const goOn = goFromHere();
    const candidates = tried.map((one) => ({
      name: nameOf(one),
      modelId: one.modelId || null,
      role: one.role || null,
    }));
    const body = { name, candidates, scorers: scorersOf(judging), maxCostUsd: Number(maxCost) };
    const made = await client.experiments.create({
      body: { ...body, datasetId: Number(dataset), identityId: Number(identity) },
    });
    goOn(`/evaluation/experiments/${made.id}`);
  };
  return (
    <FormDialog
      wide
      title={t('New experiment')}
      action={t('Plan')}
      ready={name.trim() !== '' && dataset !== '' && identity !== '' && Number(maxCost) > 0}
      onSubmit={save}
      onClose={onClose}
    >
      <TextField label={t('Name')} value={name} onChange={setName} required />
      <div className="form-grid">
        <SelectField
          label={t('Dataset')}
          value={dataset}
          onChange={setDataset}
          options={sets.map(({ id, name: title, itemCount }) => [String(id), `${title} (${itemCount})`] as const)}
        />
        <SelectField
          label={t('Runs act as')}
          value={identity}
          onChange={setIdentity}
          options={people.map((one) => [String(one.id), one.displayName || one.name] as const)}
        />
        <TextField
          name="maxCostUsd"
          label={t('May cost, in dollars')}
          type="number"
          value={maxCost}
          onChange={setMaxCost}
        />
      </div>
      <Candidates tried={tried} onChange={setTried} />
      <Scorers judging={judging} onChange={(change) => setJudging({ ...judging, ...change })} />
    </FormDialog>
  );
}

function Candidates({ tried, onChange }: { tried: readonly Tried[]; onChange: (tried: Tried[]) => void }) {
  const models = useResource(may('AiRouterRead') ? 'models to try' : null, () =>
    client.aiModels.list({ query: { enabled: true, kind: 'Chat', pageSize: 200 } }),
  );
  const roles = useResource(may('AgentConfigRead') ? 'roles to try' : null, () =>
    client.agentRoles.list({ query: { pageSize: 200 } }),
  );
  const change = (key: number, to: Partial<Tried>) =>
    onChange(tried.map((one) => (one.key === key ? { ...one, ...to } : one)));
  return (
    <fieldset className="stack">
      <legend>{t('What is tried')}</legend>
      <datalist id="experiment-models">
        {models.data?.items.map(({ id, modelId }) => (
          <option key={id} value={modelId} />
        ))}
      </datalist>
      <datalist id="experiment-roles">
        {roles.data?.items.map(({ id, name }) => (
          <option key={id} value={name} />
        ))}
      </datalist>
      {tried.map(({ key, modelId, role }, index) => (
        <div className="row" key={key}>
          <input
            className="input grow"
            aria-label={t('Model of candidate {n}', { n: index + 1 })}
            placeholder={t('Default model')}
            list="experiment-models"
            value={modelId}
            onChange={(event) => change(key, { modelId: event.target.value.trim() })}
          />
          <input
            className="input grow"
            aria-label={t('Role of candidate {n}', { n: index + 1 })}
            placeholder={t('Usual role')}
            list="experiment-roles"
            value={role}
            onChange={(event) => change(key, { role: event.target.value.trim() })}
          />
          {tried.length > 1 && (
            <IconButton
              icon="close"
              label={t('Remove candidate {n}', { n: index + 1 })}
              onClick={() => onChange(tried.filter((one) => one.key !== key))}
            />
          )}
        </div>
      ))}
      {tried.length < 10 && (
        <div>
          <Button
            size="small"
            icon="plus"
            onClick={() => onChange([...tried, { key: (tried.at(-1)?.key ?? 0) + 1, modelId: '', role: '' }])}
          >
            {t('Add a candidate')}
          </Button>
        </div>
      )}
    </fieldset>
  );
}

function Scorers({ judging, onChange }: { judging: Judging; onChange: (change: Partial<Judging>) => void }) {
  return (
    <fieldset className="stack">
      <legend>{t('How answers are judged')}</legend>
      <CheckField
        label={t('Contains what is expected')}
        checked={judging.contains}
        onChange={(contains) => onChange({ contains })}
      />
      <CheckField label={t('Is exactly that')} checked={judging.exact} onChange={(exact) => onChange({ exact })} />
      <CheckField label={t('A person scores')} checked={judging.person} onChange={(person) => onChange({ person })} />
      <TextField
        label={t('A model grades by this rubric')}
        value={judging.rubric}
        onChange={(rubric) => onChange({ rubric })}
        rows={2}
      />
      <TextField
        label={t('JSON schema that answers must satisfy')}
        value={judging.schema}
        onChange={(schema) => onChange({ schema })}
        rows={2}
        mono
      />
    </fieldset>
  );
}
