// Links a memory with another one, which is searched for.
import { useState } from 'react';
import type { LinkType, MemoryDetailDto } from '../../../client/index.ts';
import { namesOf, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { MemoryChoice } from './memory-choice.tsx';
import { linkTypes } from './vocabulary.ts';

interface Props {
  memory: MemoryDetailDto;
  onClose: () => void;
  onDone: () => void;
}

export function LinkDialog({ memory, onClose, onDone }: Props) {
  const [target, setTarget] = useState<number | null>(null);
  const [type, setType] = useState<LinkType>('Semantic');
  const [percent, setPercent] = useState('50');
  const link = async () => {
    const strength = Math.min(1, Math.max(0, Number(percent) / 100));
    await client.memories.link({ params: { id: memory.id }, body: { toMemoryId: target ?? 0, type, strength } });
    onDone();
  };
  return (
    <FormDialog
      title={t('Link with another memory')}
      action={t('Link')}
      ready={target !== null}
      onSubmit={link}
      onClose={onClose}
    >
      <MemoryChoice
        identityId={memory.identityId}
        question={memory.title}
        exceptId={memory.id}
        chosen={target}
        onChoose={setTarget}
      />
      <div className="form-grid">
        <SelectField label={t('How it is linked')} value={type} onChange={setType} options={namesOf(linkTypes)} />
        <TextField name="strength" label={t('Strength, percent')} type="number" value={percent} onChange={setPercent} />
      </div>
    </FormDialog>
  );
}
