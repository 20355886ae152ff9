// Starts a new run from a checkpoint of this one, with another goal, model or word of advice.
import { useState } from 'react';
import type { AgentRunDto } from '../../../client/index.ts';
import { formatClock, t } from '../../base/i18n.ts';
import { goFromHere } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { ModelField } from '../runs/new-run-dialog.tsx';

export function ForkDialog({
  run,
  checkpointId = '',
  onClose,
}: {
  run: AgentRunDto;
  checkpointId?: string;
  onClose: () => void;
}) {
  const [from, setFrom] = useState(checkpointId);
  const [goal, setGoal] = useState(run.goal);
  const [message, setMessage] = useState('');
  const [modelId, setModelId] = useState('');
  const checkpoints = useResource(`checkpoints ${run.id}`, () =>
    client.agentRuns.checkpoints({ params: { id: run.id } }),
  );
  const options = (checkpoints.data ?? []).map(
    (one) =>
      [
        one.id,
        `${t('Turn {n}', { n: one.iteration })} · ${formatClock(one.createdAtUtc)}${one.summary ? ` · ${one.summary.slice(0, 50)}` : ''}`,
      ] as const,
  );
  const fork = async () => {
    const goOn = goFromHere();
    const body = {
      autoStart: true,
      ...(from ? { checkpointId: from } : {}),
      ...(goal === run.goal ? {} : { goal }),
      ...(message ? { message } : {}),
      ...(modelId ? { modelId } : {}),
    };
    const made = await client.agentRuns.fork({ params: { id: run.id }, body });
    goOn(`/runs/${made.id}`);
  };
  return (
    <FormDialog
      title={t('Fork run #{id}', { id: run.id })}
      action={t('Fork and start')}
      onSubmit={fork}
      onClose={onClose}
    >
      <SelectField
        label={t('From')}
        value={from}
        onChange={setFrom}
        options={[['', t('the latest checkpoint')], ...options]}
      />
      <TextField label={t('Goal')} value={goal} onChange={setGoal} rows={3} />
      <TextField name="message" label={t('Guidance')} value={message} onChange={setMessage} rows={2} />
      <ModelField value={modelId} onChange={setModelId} />
    </FormDialog>
  );
}
