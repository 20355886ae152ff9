// The fields that ways to sign in share, as browsers and password managers know them.
import { t } from '../../base/i18n.ts';
import { TextField } from '../../ui/field.tsx';

interface Props {
  value: string;
  onChange: (value: string) => void;
  label?: string;
}

export const UsernameField = ({ label = t('Username'), ...rest }: Props) => (
  <TextField {...rest} label={label} required autoComplete="username" />
);

export const PasswordField = ({ label = t('Password'), isNew = false, ...rest }: Props & { isNew?: boolean }) => (
  <TextField
    {...rest}
    label={label}
    type="password"
    required
    autoComplete={isNew ? 'new-password' : 'current-password'}
  />
);
