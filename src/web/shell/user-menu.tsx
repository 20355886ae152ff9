// Who is signed in, the theme, alerts, and the way out.
import { useState } from 'react';
import { t } from '../base/i18n.ts';
import { type Prefs, prefs } from '../base/prefs.ts';
import { go } from '../base/router.ts';
import { useStore } from '../base/store.ts';
import { server, signOut } from '../state/app.ts';
import { Icon } from '../ui/icon.tsx';
import { Menu } from '../ui/menu.tsx';
import { PasswordDialog } from './password-dialog.tsx';

const next: Record<Prefs['theme'], Prefs['theme']> = { system: 'light', light: 'dark', dark: 'system' };
const themeWords: Record<Prefs['theme'], string> = {
  system: 'Theme: as the system',
  light: 'Theme: light',
  dark: 'Theme: dark',
};

async function toggleAlerts() {
  const on = !prefs.get().alerts;
  if (on && 'Notification' in window && Notification.permission === 'default') await Notification.requestPermission();
  prefs.set((all) => ({ ...all, alerts: on }));
}

export function UserMenu({ onKeys, onHelp }: { onKeys: () => void; onHelp: () => void }) {
  const current = useStore(server);
  const { theme, alerts, sound } = useStore(prefs);
  const [settingPassword, setSettingPassword] = useState(false);
  const isPerson = current?.principal.user?.type === 'Human';
  const name =
    current?.principal.user?.displayName ??
    current?.principal.user?.username ??
    current?.principal.identity?.displayName ??
    t('Signed in');
  return (
    <>
      <Menu
        label={t('{name}, menu', { name })}
        items={[
          {
            label: t(themeWords[theme]),
            icon: theme === 'light' ? 'sun' : 'moon',
            onSelect: () => prefs.set((all) => ({ ...all, theme: next[all.theme] })),
          },
          { label: alerts ? t('Alerts: on') : t('Alerts: off'), icon: 'gate', onSelect: () => void toggleAlerts() },
          {
            label: sound ? t('Sound: on') : t('Sound: off'),
            icon: 'chat',
            onSelect: () => prefs.set((all) => ({ ...all, sound: !all.sound })),
          },
          { label: t('Keyboard shortcuts'), icon: 'menu', onSelect: onKeys },
          ...(isPerson ? [{ label: t('Account'), icon: 'identity' as const, onSelect: () => go('/account') }] : []),
          ...(isPerson
            ? [{ label: t('Set a password'), icon: 'key' as const, onSelect: () => setSettingPassword(true) }]
            : []),
          { label: t('Help'), icon: 'flag', onSelect: onHelp },
          { label: t('API reference'), icon: 'external', onSelect: () => window.open('/docs', '_blank', 'noopener') },
          { label: t('Sign out'), icon: 'signout', onSelect: () => void signOut() },
        ]}
      >
        <Icon name="identity" />
      </Menu>
      {settingPassword && <PasswordDialog onClose={() => setSettingPassword(false)} />}
    </>
  );
}
