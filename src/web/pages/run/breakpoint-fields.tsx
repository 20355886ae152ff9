// The fields of a breakpoint: before what it stops, by which name, and in which runs.
import type { RunBreakpointDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';

export type BreakpointDraft = Pick<RunBreakpointDto, 'before' | 'name' | 'forTree'>;

export const noBreakpoint: BreakpointDraft = { before: 'Tool', name: '', forTree: false };

interface Props {
  draft: BreakpointDraft;
  onChange: (draft: BreakpointDraft) => void;
}

export function BreakpointFields({ draft, onChange }: Props) {
  const change = (more: Partial<BreakpointDraft>) => onChange({ ...draft, ...more });
  return (
    <>
      <SelectField
        label={t('Stop before')}
        value={draft.before}
        onChange={(before) => change({ before })}
        options={[
          ['Tool', t('a call of a tool')],
          ['Role', t('a child is spawned in a role')],
        ]}
      />
      <TextField
        label={t('Name')}
        value={draft.name}
        onChange={(name) => change({ name })}
        placeholder={draft.before === 'Tool' ? 'file_*' : 'tester'}
        hint={t('A trailing * matches every name that begins so.')}
        required
      />
      <CheckField
        label={t('In every run of the tree')}
        checked={draft.forTree}
        onChange={(forTree) => change({ forTree })}
      />
    </>
  );
}
