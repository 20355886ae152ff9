// One identity: what it is, how it speaks, what it may do, and whom it knows.
import { formatDate, t, words } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { useTitle } from '../../base/title.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Copyable } from '../../ui/code.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import { type TabItem, Tabs } from '../../ui/tabs.tsx';
import { Children } from './children.tsx';
import { Hints } from './hints.tsx';
import { Keys } from './keys.tsx';
import { Overview } from './overview.tsx';
import { Hydration, MemoryConfig, Messaging, Personality, Work } from './profiles.tsx';
import { Relationships } from './relationships.tsx';
import { Souls } from './souls.tsx';
import { ToolPolicy } from './tool-policy.tsx';

type TabKey =
  | 'overview'
  | 'personality'
  | 'soul'
  | 'tools'
  | 'memory'
  | 'messaging'
  | 'keys'
  | 'hints'
  | 'relationships'
  | 'children';

const tabs = (): TabItem<TabKey>[] => [
  { key: 'overview', label: t('Overview') },
  { key: 'personality', label: t('Personality') },
  { key: 'soul', label: t('Soul') },
  { key: 'tools', label: t('Tools and work') },
  { key: 'memory', label: t('Memory') },
  { key: 'messaging', label: t('Messaging') },
  ...(may('ApiKeysManage') ? [{ key: 'keys' as const, label: t('Keys') }] : []),
  ...(may('MemoriesRead') ? [{ key: 'hints' as const, label: t('Hints') }] : []),
  ...(may('RelationshipsRead') ? [{ key: 'relationships' as const, label: t('Relationships') }] : []),
  { key: 'children', label: t('Children') },
];

/** `isNamed`: the address names it, and so does the tab. */
export function Identity(props: { id: number; isNamed: boolean; onChange: () => void }) {
  const { id, isNamed, onChange } = props;
  const { query } = useLocation();
  const items = tabs();
  const tab = items.find(({ key }) => key === query.get('tab'))?.key ?? 'overview';
  const one = useResource(`identity ${id}`, () => client.identities.get({ params: { id } }));
  const name = one.data?.displayName || one.data?.name || t('Identity');
  useTitle(isNamed ? name : t('Identities and keys'));
  const changed = () => {
    one.reload();
    onChange();
  };
  if (one.error && !one.data)
    return <Failure error={one.error} retry={one.reload} back={{ href: '#/identities', label: t('All identities') }} />;
  return (
    <Loaded resource={one}>
      {(identity) => (
        <div className="stack identity">
          <div className="row wrap">
            <h2>{identity.displayName || identity.name}</h2>
            <Copyable text={identity.guid}>{identity.guid.slice(0, 8)}…</Copyable>
            <span className="muted">
              {words(identity.type)} · {words(identity.presenceState)} ·{' '}
              {t('since {date}', { date: formatDate(identity.createdAtUtc) })}
            </span>
          </div>
          <Tabs
            label={t('Identity sections')}
            items={items}
            active={tab}
            onChange={(key) => patchQuery({ tab: key === 'overview' ? null : key })}
          />
          {tab === 'overview' && <Overview identity={identity} onChange={changed} />}
          {tab === 'soul' && <Souls id={id} name={identity.name} onChange={changed} />}
          {tab === 'keys' && <Keys identityId={id} />}
          {tab === 'hints' && <Hints identityId={id} />}
          {tab === 'relationships' && <Relationships identityId={id} />}
          {tab === 'children' && <Children identityId={id} />}
          <Profiles tab={tab} id={id} />
        </div>
      )}
    </Loaded>
  );
}

function Profiles({ tab, id }: { tab: TabKey; id: number }) {
  switch (tab) {
    case 'personality':
      return <Personality id={id} />;
    case 'messaging':
      return <Messaging id={id} />;
    case 'tools':
      return (
        <>
          <Work id={id} />
          <ToolPolicy id={id} />
        </>
      );
    case 'memory':
      return (
        <>
          <MemoryConfig id={id} />
          <Hydration id={id} />
        </>
      );
    default:
      return null;
  }
}
