// What people do with a routine by hand: run it now, stop it with its runs or without, let it go on.
import { useState } from 'react';
import type { AgentRoutineDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { say } from '../../ui/toast.tsx';
import { useDraftRecord } from '../../ui/use-draft-record.ts';

interface Props {
  routine: AgentRoutineDto;
  onChange: () => void;
}

type Asking = 'run' | 'enable' | 'disable';

export function Actions({ routine, onChange }: Props) {
  const [asking, setAsking] = useState<Asking | null>(null);
  const props = { routine, onChange, onClose: () => setAsking(null) };
  return (
    <>
      <Button kind="primary" icon="play" onClick={() => setAsking('run')}>
        {t('Run now')}
      </Button>
      {routine.isEnabled ? (
        <Button icon="pause" onClick={() => setAsking('disable')}>
          {t('Disable')}
        </Button>
      ) : (
        <Button icon="play" onClick={() => setAsking('enable')}>
          {t('Enable')}
        </Button>
      )}
      {asking === 'run' && <RunNow {...props} />}
      {asking === 'enable' && <Enable {...props} />}
      {asking === 'disable' && <Disable {...props} />}
    </>
  );
}

interface DialogProps extends Props {
  onClose: () => void;
}

function RunNow({ routine, onChange, onClose }: DialogProps) {
  const { written, write, clear } = useDraftRecord(`routine.run.${routine.id}`, { detail: '', ignores: false });
  const run = async () => {
    const body = {
      ignoreThrottles: written.ignores,
      ...(written.detail.trim() ? { triggerDetailJson: written.detail } : {}),
    };
    const row = await client.agentRoutines.run({ params: { id: routine.id }, body });
    clear();
    say(t('Run {id} is started', { id: row.agentRunId ?? '' }));
    onChange();
  };
  return (
    <FormDialog title={t('Run it now')} action={t('Run')} onSubmit={run} onClose={onClose} onDiscard={clear}>
      <p className="muted">{t('Also in quiet hours, and while it is disabled.')}</p>
      <TextField
        mono
        name="triggerDetailJson"
        label={t('What it is told besides, as JSON')}
        value={written.detail}
        onChange={(detail) => write({ detail })}
        rows={3}
      />
      <CheckField label={t('Pass its limits')} checked={written.ignores} onChange={(ignores) => write({ ignores })} />
    </FormDialog>
  );
}

function Enable({ routine, onChange, onClose }: DialogProps) {
  const { written, write, clear } = useDraftRecord(`routine.enable.${routine.id}`, { missed: false });
  const enable = async () => {
    const { warning } = await client.agentRoutines.enable({
      params: { id: routine.id },
      body: { runMissed: written.missed },
    });
    clear();
    say(t('Enabled'), warning);
    onChange();
  };
  return (
    <FormDialog
      title={t('Enable the routine')}
      action={t('Enable')}
      onSubmit={enable}
      onClose={onClose}
      onDiscard={clear}
    >
      <CheckField
        label={t('What was due meanwhile counts as missed')}
        checked={written.missed}
        onChange={(missed) => write({ missed })}
      />
    </FormDialog>
  );
}

function Disable({ routine, onChange, onClose }: DialogProps) {
  const { written, write, clear } = useDraftRecord(`routine.disable.${routine.id}`, { reason: '', cancels: false });
  const disable = async () => {
    const reason = written.reason.trim();
    await client.agentRoutines.disable({
      params: { id: routine.id },
      body: { cancelActiveRuns: written.cancels, ...(reason ? { reason } : {}) },
    });
    clear();
    onChange();
  };
  return (
    <FormDialog
      title={t('Disable the routine')}
      action={t('Disable')}
      onSubmit={disable}
      onClose={onClose}
      onDiscard={clear}
    >
      <TextField name="reason" label={t('Why')} value={written.reason} onChange={(reason) => write({ reason })} />
      <CheckField
        label={t('Cancel its runs that are under way')}
        checked={written.cancels}
        onChange={(cancels) => write({ cancels })}
      />
    </FormDialog>
  );
}
