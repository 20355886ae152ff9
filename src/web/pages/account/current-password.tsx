// The own password, asked for once more before something that matters.
import { t } from '../../base/i18n.ts';
import { TextField } from '../../ui/field.tsx';

interface Props {
  value: string;
  onChange: (password: string) => void;
}

export const CurrentPassword = (props: Props) => (
  <TextField label={t('Current password')} type="password" autoComplete="current-password" required {...props} />
);
