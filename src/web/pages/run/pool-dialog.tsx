// Adds turns, tokens or dollars to the pool that the whole tree shares.

import { useState } from 'react';
import type { AgentRunDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { CheckField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { say } from '../../ui/toast.tsx';

export function PoolDialog({ run, onClose }: { run: AgentRunDto; onClose: () => void }) {
  const [tokens, setTokens] = useState('');
  const [turns, setTurns] = useState('');
  const [dollars, setDollars] = useState('');
  const [resume, setResume] = useState(run.status === 'BudgetExhausted');
  const add = async () => {
    const body = {
      resume,
      ...(Number(tokens) > 0 ? { addTokens: Number(tokens) } : {}),
      ...(Number(turns) > 0 ? { addIterations: Number(turns) } : {}),
      ...(Number(dollars) > 0 ? { addCostUsd: Number(dollars) } : {}),
    };
    await client.agentRuns.pool({ params: { id: run.id }, body });
    say(t('Added to the pool'));
  };
  return (
    <FormDialog
      title={t('Add to the pool')}
      action={t('Add')}
      ready={tokens !== '' || turns !== '' || dollars !== ''}
      onSubmit={add}
      onClose={onClose}
    >
      <div className="form-grid">
        <TextField
          name="addTokens"
          label={t('Tokens')}
          type="number"
          required={false}
          value={tokens}
          onChange={setTokens}
        />
        <TextField
          name="addIterations"
          label={t('Turns')}
          type="number"
          required={false}
          value={turns}
          onChange={setTurns}
        />
        {run.poolCostBudgetUsd !== null && (
          <TextField
            name="addCostUsd"
            label={t('US dollars')}
            type="number"
            required={false}
            value={dollars}
            onChange={setDollars}
          />
        )}
      </div>
      <CheckField label={t('Resume runs that exhausted their budget')} checked={resume} onChange={setResume} />
    </FormDialog>
  );
}
