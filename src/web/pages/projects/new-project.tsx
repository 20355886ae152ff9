// Makes a project: a button that asks for its name and what its agents are told.
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { goFromHere } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { UnitField } from '../organisation/unit-field.tsx';

/** Null for those who may make none. */
export function NewProject({ onDone, then = '/documents' }: { onDone: () => void; then?: '/documents' | '/projects' }) {
  const [isOpen, setOpen] = useState(false);
  if (!may('ProjectsWrite')) return null;
  return (
    <>
      <Button icon="plus" onClick={() => setOpen(true)}>
        {t('New project')}
      </Button>
      {isOpen && <NewProjectDialog onClose={() => setOpen(false)} onDone={onDone} then={then} />}
    </>
  );
}

interface DialogProps {
  onClose: () => void;
  onDone: () => void;
  /** Where it is shown then. */
  then: '/documents' | '/projects';
}

function NewProjectDialog({ onClose, onDone, then }: DialogProps) {
  const [name, setName] = useState('');
  const [agentInstructions, setInstructions] = useState('');
  const [unit, setUnit] = useState('');
  const create = async () => {
    const goOn = goFromHere();
    const told = agentInstructions.trim();
    const body = { name, ...(told && { agentInstructions: told }), ...(unit && { orgUnitId: Number(unit) }) };
    const { id } = await client.projects.create({ body });
    onDone();
    if (then === '/projects') goOn(`/projects/${id}`);
    else goOn('/documents', { project: id });
  };
  return (
    <FormDialog
      title={t('New project')}
      action={t('Create')}
      ready={name.trim() !== ''}
      onSubmit={create}
      onClose={onClose}
    >
      <TextField label={t('Name')} value={name} onChange={setName} required />
      <TextField
        name="agentInstructions"
        label={t('Instructions for agents')}
        value={agentInstructions}
        onChange={setInstructions}
        rows={4}
        hint={t('Every run and chat of the project begins with them.')}
      />
      <UnitField
        value={unit}
        onChange={setUnit}
        hint={t('Its members work in the project; its budget and policy hold there.')}
      />
    </FormDialog>
  );
}
