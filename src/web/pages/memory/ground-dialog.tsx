// Names a memory that a standing rule stands on, or that bears it out.
import { useState } from 'react';
import type { RuleLinkKind, StandingRuleDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useChosenIdentity, useIdentities } from './chosen.tsx';
import { MemoryChoice } from './memory-choice.tsx';

interface Props {
  rule: StandingRuleDto;
  onClose: () => void;
  onDone: () => void;
}

export function GroundDialog({ rule, onClose, onDone }: Props) {
  const identities = useIdentities();
  const own = useChosenIdentity(identities.data?.items);
  const identityId = rule.identityId ?? own;
  const [memoryId, setMemoryId] = useState<number | null>(null);
  const [linkKind, setLinkKind] = useState<RuleLinkKind>('Grounding');
  const [note, setNote] = useState('');
  const link = async () => {
    const body = { memoryId: memoryId ?? 0, linkKind, ...(note.trim() ? { note } : {}) };
    await client.standingRules.link({ params: { id: rule.id }, body });
    onDone();
  };
  return (
    <FormDialog
      title={t('Name a memory of the rule')}
      action={t('Save')}
      ready={memoryId !== null}
      onSubmit={link}
      onClose={onClose}
    >
      {identityId !== null && (
        <MemoryChoice identityId={identityId} question={rule.assertion} chosen={memoryId} onChoose={setMemoryId} />
      )}
      <SelectField
        label={t('What it is to the rule')}
        value={linkKind}
        onChange={setLinkKind}
        options={[
          ['Grounding', t('The rule stands on it')],
          ['Evidence', t('It bears the rule out')],
        ]}
      />
      <TextField label={t('Note')} value={note} onChange={setNote} />
    </FormDialog>
  );
}
