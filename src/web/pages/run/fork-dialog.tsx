// Starts a new run from a checkpoint of this one, with another goal, model or word of advice.
import { type FormEvent, useId, useState } from 'react';
import type { AgentRunDto } from '../../../client/index.ts';
import { formatClock, t } from '../../base/i18n.ts';
import { go } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button, FormButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { sayError } from '../../ui/toast.tsx';
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
  const [busy, setBusy] = useState(false);
  const form = useId();
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
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setBusy(true);
    try {
      const body = {
        autoStart: true,
        ...(from ? { checkpointId: from } : {}),
        ...(goal === run.goal ? {} : { goal }),
        ...(message ? { message } : {}),
        ...(modelId ? { modelId } : {}),
      };
      const made = await client.agentRuns.fork({ params: { id: run.id }, body });
      go(`/runs/${made.id}`);
      onClose();
    } catch (error) {
      sayError(error);
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={t('Fork run #{id}', { id: run.id })}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t('Close')}</Button>
          <FormButton form={form} busy={busy}>
            {t('Fork and start')}
          </FormButton>
        </>
      }
    >
      <form id={form} className="stack" onSubmit={submit}>
        <SelectField
          label={t('From')}
          value={from}
          onChange={setFrom}
          options={[['', t('the latest checkpoint')], ...options]}
        />
        <TextField label={t('Goal')} value={goal} onChange={setGoal} rows={3} />
        <TextField label={t('What to do differently')} value={message} onChange={setMessage} rows={2} />
        <ModelField value={modelId} onChange={setModelId} />
      </form>
    </Dialog>
  );
}
