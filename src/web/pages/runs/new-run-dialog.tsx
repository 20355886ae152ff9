// Starts a run: a goal is enough; model, role, budgets and contract are optional.
import { useId, useState } from 'react';
import { useDraft } from '../../base/draft.ts';
import { t } from '../../base/i18n.ts';
import { newId } from '../../base/platform.ts';
import { goFromHere } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, Field, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { figuresOf, NumberFields, type Written } from '../../ui/number-fields.tsx';
import { FromPrompt } from '../prompts/from-prompt.tsx';
import { breakpointsOf, type FirstBreakpoint, FirstBreakpoints } from './first-breakpoints.tsx';

const numbers = {
  maxIterations: 'Turns',
  maxTokens: 'Tokens',
  maxWallClockMs: 'Minutes',
  contextBudgetTokens: 'Context tokens',
  poolIterationBudget: 'Turns, whole tree',
  poolTokenBudget: 'Tokens, whole tree',
  poolCostBudgetUsd: 'US dollars, whole tree',
} as const;
type Budgets = Written<keyof typeof numbers>;

function budgetsOf(written: Budgets) {
  const { maxWallClockMs: minutes, ...rest } = figuresOf(written);
  return { ...rest, ...(minutes === undefined ? {} : { maxWallClockMs: Math.round(minutes * 60_000) }) };
}

/** A text field with the known names to choose from. */
export function ModelField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const list = useId();
  const known = useResource(may('AiRouterRead') ? 'models' : null, () =>
    client.aiModels.list({ query: { enabled: true, kind: 'Chat', pageSize: 200 } }),
  );
  return (
    <Field label={t('Model')}>
      {(id) => (
        <>
          <input
            id={id}
            className="input mono"
            list={list}
            value={value}
            placeholder={t('the default')}
            autoComplete="off"
            onChange={(event) => onChange(event.target.value)}
          />
          <datalist id={list}>
            <option value="scripted:demo" />
            {known.data?.items.map((model) => (
              <option key={model.id} value={model.modelId}>
                {model.displayName}
              </option>
            ))}
          </datalist>
        </>
      )}
    </Field>
  );
}

function RoleField({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const known = useResource(may('AgentConfigRead') ? 'roles' : null, () =>
    client.agentRoles.list({ query: { enabled: true, pageSize: 200 } }),
  );
  if (!known.data?.items.length)
    return <TextField label={t('Role')} value={value} onChange={onChange} placeholder={t('the default')} />;
  const options = known.data.items.map((role) => [role.name, role.displayName] as const);
  return (
    <SelectField label={t('Role')} value={value} onChange={onChange} options={[['', t('the default')], ...options]} />
  );
}

type Contract = { contractDeliverable?: string; contractDestination?: string };

function ContractFields({ contract, onChange }: { contract: Contract; onChange: (contract: Contract) => void }) {
  const set = (name: keyof Contract) => (value: string) => {
    const { [name]: _, ...others } = contract;
    onChange(value ? { ...others, [name]: value } : others);
  };
  return (
    <div className="stack">
      <TextField
        name="contractDeliverable"
        label={t('Deliverable')}
        value={contract.contractDeliverable ?? ''}
        onChange={set('contractDeliverable')}
        hint={t('The run cannot complete until this file or answer exists.')}
        placeholder="report.md"
      />
      <TextField
        name="contractDestination"
        label={t('Destination')}
        value={contract.contractDestination ?? ''}
        onChange={set('contractDestination')}
      />
    </div>
  );
}

/** What a run that comes out of something else begins with. */
export interface NewRunOf {
  /** Its draft is kept under this name. */
  name: string;
  goal: string;
  modelId: string;
}

export function NewRunDialog({ onClose, of }: { onClose: () => void; of?: NewRunOf }) {
  const goal = useDraft(of?.name ?? 'new-run', of?.goal);
  const [modelId, setModelId] = useState(of?.modelId ?? '');
  const [role, setRole] = useState('');
  const [budgets, setBudgets] = useState<Budgets>({});
  const [contract, setContract] = useState<Contract>({});
  const [breakpoints, setBreakpoints] = useState<FirstBreakpoint[]>([]);
  const [start, setStart] = useState(true);
  const [choosing, setChoosing] = useState(false);
  const [hasChosen, setHasChosen] = useState(false);
  const isChanged =
    [goal.text !== (of?.goal ?? ''), modelId !== (of?.modelId ?? ''), role !== '', !start].includes(true) ||
    [budgets, contract, breakpoints].some((one) => Object.keys(one).length > 0);
  const backFromChoice = () => {
    setChoosing(false);
    setHasChosen(true);
  };
  const create = async () => {
    const goOn = goFromHere();
    const run = await client.agentRuns.create({
      body: {
        goal: goal.text,
        autoStart: start,
        ...(modelId ? { modelId } : {}),
        ...(role ? { role } : {}),
        ...contract,
        ...budgetsOf(budgets),
        ...breakpointsOf(breakpoints),
      },
      idempotencyKey: newId(),
    });
    goal.clear();
    goOn(`/runs/${run.id}`);
  };
  // Beside the form, not in it: what is sent there would be sent here too.
  if (choosing) return <FromPrompt onText={goal.write} onClose={backFromChoice} />;
  return (
    <FormDialog
      title={t('New run')}
      action={start ? t('Start') : t('Create')}
      ready={goal.text.trim() !== '' && breakpoints.every(({ name }) => name.trim() !== '')}
      onSubmit={create}
      onClose={onClose}
      onDiscard={goal.clear}
      startsWritten={hasChosen && isChanged}
    >
      <TextField
        label={t('Goal')}
        value={goal.text}
        onChange={goal.write}
        rows={of ? 10 : 4}
        required
        placeholder={t('What should be done, and how is success measured?')}
      />
      {may('ChatRead') && (
        <div>
          <Button size="small" icon="file" onClick={() => setChoosing(true)}>
            {t('From a prompt')}
          </Button>
        </div>
      )}
      <div className="form-grid">
        <ModelField value={modelId} onChange={setModelId} />
        <RoleField value={role} onChange={setRole} />
      </div>
      <details>
        <summary>{t('Budgets')}</summary>
        <NumberFields names={numbers} written={budgets} onChange={setBudgets} placeholder={t('the role’s')} />
      </details>
      <details>
        <summary>{t('Contract')}</summary>
        <ContractFields contract={contract} onChange={setContract} />
      </details>
      <details>
        <summary>{t('Breakpoints')}</summary>
        <FirstBreakpoints all={breakpoints} onChange={setBreakpoints} />
      </details>
      <CheckField label={t('Start now')} checked={start} onChange={setStart} />
    </FormDialog>
  );
}
