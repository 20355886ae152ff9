// Adds turns or tokens to the pool that the whole tree shares.

import { type FormEvent, useId, useState } from 'react';
import type { AgentRunDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { Button, FormButton } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { say, sayError } from '../../ui/toast.tsx';

export function PoolDialog({ run, onClose }: { run: AgentRunDto; onClose: () => void }) {
  const [tokens, setTokens] = useState('');
  const [turns, setTurns] = useState('');
  const [resume, setResume] = useState(run.status === 'BudgetExhausted');
  const form = useId();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      const body = {
        resume,
        ...(Number(tokens) > 0 ? { addTokens: Number(tokens) } : {}),
        ...(Number(turns) > 0 ? { addIterations: Number(turns) } : {}),
      };
      await client.agentRuns.pool({ params: { id: run.id }, body });
      say(t('Added to the pool'));
      onClose();
    } catch (error) {
      sayError(error);
    }
  };
  return (
    <Dialog
      title={t('Add to the pool')}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t('Close')}</Button>
          <FormButton form={form} busy={!tokens && !turns}>
            {t('Add')}
          </FormButton>
        </>
      }
    >
      <form id={form} className="stack" onSubmit={submit}>
        <div className="form-grid">
          <TextField label={t('Tokens')} type="number" value={tokens} onChange={setTokens} />
          <TextField label={t('Turns')} type="number" value={turns} onChange={setTurns} />
        </div>
        <CheckField label={t('Resume what has stopped for want of it')} checked={resume} onChange={setResume} />
      </form>
    </Dialog>
  );
}
