// The account of who is signed in: profile, password and second factor, sessions, keys, export and closing.
import '../../styles/settings.css';
import type { AuthPrincipalDto, UserDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { useStore } from '../../base/store.ts';
import { client, server } from '../../state/app.ts';
import { RecordForm, type Section } from '../../ui/record-form.tsx';
import { Empty } from '../../ui/states.tsx';
import { type TabItem, Tabs } from '../../ui/tabs.tsx';
import { AccountData } from './data.tsx';
import { AccountKeys } from './keys.tsx';
import { McpClients } from './mcp.tsx';
import { OwnUnits } from './own-units.tsx';
import { Security } from './security.tsx';
import { Sessions } from './sessions.tsx';

type TabKey = 'profile' | 'security' | 'sessions' | 'keys' | 'mcp' | 'data';

const tabs = (): TabItem<TabKey>[] => [
  { key: 'profile', label: t('Profile') },
  { key: 'security', label: t('Password and MFA') },
  { key: 'sessions', label: t('Sessions') },
  { key: 'keys', label: t('API keys') },
  { key: 'mcp', label: t('MCP clients') },
  { key: 'data', label: t('Export and close') },
];

/** What the page shows of the principal is loaded again after a change. */
const reload = async () => {
  const principal = await client.auth.me();
  server.set((now) => now && { ...now, principal });
};

export function AccountPage() {
  const { query } = useLocation();
  const principal = useStore(server)?.principal;
  const items = tabs();
  const tab = items.find(({ key }) => key === query.get('tab'))?.key ?? 'profile';
  if (!principal?.user)
    return (
      <Empty isPage title={t('No account')}>
        {t('You are signed in with the key of an identity. Accounts belong to people.')}
      </Empty>
    );
  return (
    <div className="page narrow">
      <div className="page-head">
        <h1>{t('Account')}</h1>
      </div>
      <Tabs
        label={t('Account sections')}
        items={items}
        active={tab}
        onChange={(key) => patchQuery({ tab: key === 'profile' ? null : key })}
      />
      <Tab tab={tab} principal={principal} user={principal.user} />
    </div>
  );
}

function Tab({ tab, principal, user }: { tab: TabKey; principal: AuthPrincipalDto; user: UserDto }) {
  if (tab === 'profile') return <Profile user={user} units={principal.orgUnits} />;
  if (tab === 'security') return <Security principal={principal} onChange={reload} />;
  if (tab === 'sessions') return <Sessions />;
  if (tab === 'keys') return <AccountKeys principal={principal} user={user} />;
  if (tab === 'mcp') return <McpClients />;
  return <AccountData user={user} hasPassword={principal.hasPassword} />;
}

const profile: Section<keyof UserDto>[] = [
  {
    title: 'Profile',
    fields: [
      { key: 'displayName', label: 'Display name', kind: 'text', orNone: true },
      {
        key: 'email',
        label: 'E-mail address',
        kind: 'text',
        orNone: true,
        hint: 'A new address has to be confirmed by mail.',
      },
      { key: 'location', label: 'Location', kind: 'text', orNone: true },
      { key: 'timezone', label: 'Time zone', kind: 'text', orNone: true, placeholder: 'Europe/Berlin' },
      { key: 'language', label: 'Language', kind: 'text', orNone: true, placeholder: 'en' },
    ],
  },
];

function Profile({ user, units }: { user: UserDto; units: AuthPrincipalDto['orgUnits'] }) {
  const save = async ({ displayName, email, location, timezone, language, ui }: UserDto) => {
    await client.users.replaceProfile({ body: { displayName, email, location, timezone, language, ui } });
    await reload();
  };
  return (
    <>
      <p className="muted">{t('Signed in as {name}.', { name: user.username })}</p>
      <RecordForm draft="profile" value={user} sections={profile} mayChange onSave={save} />
      {units.length > 0 && <OwnUnits units={units} />}
    </>
  );
}
