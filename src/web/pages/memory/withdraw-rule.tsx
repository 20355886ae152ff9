// Ends a standing rule, with a reason that stays.
import type { StandingRuleDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { say } from '../../ui/toast.tsx';
import { useDraftRecord } from '../../ui/use-draft-record.ts';

interface Props {
  rule: StandingRuleDto;
  onClose: () => void;
  onDone: () => void;
}

export function WithdrawRule({ rule, onClose, onDone }: Props) {
  const { written, write, clear } = useDraftRecord(`rule.withdraw.${rule.id}`, { statusReason: '' });
  const isProposal = rule.status === 'Proposed';
  const withdraw = async () => {
    await client.standingRules.withdraw({ params: { id: rule.id }, body: written });
    clear();
    say(isProposal ? t('Rejected') : t('Withdrawn'));
    onDone();
  };
  return (
    <FormDialog
      title={isProposal ? t('Reject the proposal') : t('Withdraw the rule')}
      action={isProposal ? t('Reject') : t('Withdraw')}
      ready={written.statusReason.trim() !== ''}
      onSubmit={withdraw}
      onClose={onClose}
      onDiscard={clear}
    >
      <p>
        {isProposal
          ? t('It never holds.')
          : t('From now on it holds nobody back; forks of earlier moments still see it.')}
      </p>
      <TextField
        name="statusReason"
        label={t('Why')}
        value={written.statusReason}
        onChange={(statusReason) => write({ statusReason })}
        rows={2}
        required
      />
    </FormDialog>
  );
}
