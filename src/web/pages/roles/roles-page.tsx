// Roles that runs take, the tools there are, and which of them a profile allows.
import { useState } from 'react';
import { formatNumber, formatShort, t, words } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Json } from '../../ui/code.tsx';
import { Figures } from '../../ui/figures.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Chip } from '../../ui/status.tsx';
import { type TabItem, Tabs } from '../../ui/tabs.tsx';

type TabKey = 'roles' | 'profiles' | 'tools';

export function RolesPage() {
  const { query } = useLocation();
  const items: TabItem<TabKey>[] = [
    { key: 'roles' as const, label: t('Roles') },
    { key: 'profiles' as const, label: t('Tool profiles') },
    { key: 'tools', label: t('Tools') },
  ];
  const tab = items.find((item) => item.key === query.get('tab'))?.key ?? items[0]?.key ?? 'tools';
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Roles and tools')}</h1>
      </div>
      {items.length > 1 && (
        <Tabs label={t('What to see')} items={items} active={tab} onChange={(key) => patchQuery({ tab: key })} />
      )}
      {tab === 'roles' && <Roles />}
      {tab === 'profiles' && <Profiles />}
      {tab === 'tools' && <Tools />}
    </div>
  );
}

function Roles() {
  const list = useResource('roles', () => client.agentRoles.list({ query: { pageSize: 200, sort: 'sortOrder' } }));
  const [chosen, setChosen] = useState<number | null>(null);
  return (
    <Loaded resource={list}>
      {({ items }) => {
        const role = items.find((one) => one.id === chosen) ?? items[0];
        if (!role) return <Empty title={t('No roles yet')} />;
        const budgets = [
          [t('Turns'), formatNumber(role.defaultMaxIterations)],
          [t('Tokens'), formatShort(role.defaultMaxTokens)],
          [t('Context'), formatShort(role.contextBudgetTokens)],
          [t('Turns at most'), formatNumber(role.hardIterationCap)],
          [t('Temperature'), role.temperature.toFixed(1)],
        ] as const;
        return (
          <div className="two">
            <nav className="pick" aria-label={t('Roles')}>
              {items.map((one) => (
                <button
                  type="button"
                  key={one.id}
                  aria-current={one.id === role.id ? 'true' : undefined}
                  onClick={() => setChosen(one.id)}
                >
                  <strong>{one.displayName}</strong>
                  {one.isSystem && <span className="tag">{t('built in')}</span>}
                </button>
              ))}
            </nav>
            <section className="card">
              <div className="card-head">
                <h2>{role.displayName}</h2>
                <span className="muted small">{role.routeSummary ?? role.fallbackModelId ?? t('default model')}</span>
              </div>
              <div className="card-body stack">
                {role.description && <p>{role.description}</p>}
                <Figures items={budgets} />
                <div>
                  <span className="small muted">{t('What it is told')}</span>
                  <div className="card card-body">
                    <Markdown text={role.systemPromptTemplate} />
                  </div>
                </div>
              </div>
            </section>
          </div>
        );
      }}
    </Loaded>
  );
}

function ToolNames({
  label,
  names,
  tone,
}: {
  label: string;
  names: string[];
  tone: 'good' | 'warn' | 'bad' | 'violet';
}) {
  if (names.length === 0) return null;
  return (
    <div className="row wrap">
      <Chip shape="dot" tone={tone}>
        {label}
      </Chip>
      {names.map((name) => (
        <code key={name} className="small">
          {name}
        </code>
      ))}
    </div>
  );
}

function Profiles() {
  const list = useResource('profiles', () => client.agentToolProfiles.list({ query: { pageSize: 200 } }));
  return (
    <Loaded resource={list}>
      {({ items }) =>
        items.length === 0 ? (
          <Empty title={t('No tool profiles yet')}>
            {t('A profile says which tools a role may use freely, only when it asks, or never.')}
          </Empty>
        ) : (
          <div className="cards-2">
            {items.map((one) => (
              <section key={one.id} className="card">
                <div className="card-head">
                  <h2>{one.name}</h2>
                  <span className="muted">{one.role}</span>
                </div>
                <div className="card-body stack">
                  {one.description && <p className="muted">{one.description}</p>}
                  <ToolNames label={t('Free to use')} names={one.safeTools} tone="good" />
                  <ToolNames label={t('With approval')} names={one.optInTools} tone="warn" />
                  <ToolNames label={t('Blocked')} names={one.blockedTools} tone="bad" />
                  <ToolNames label={t('In the sandbox')} names={one.sandboxedTools} tone="violet" />
                </div>
              </section>
            ))}
          </div>
        )
      }
    </Loaded>
  );
}

function Tools() {
  const list = useResource('tools', () => client.agentTools.list());
  const [query, setQuery] = useState('');
  return (
    <Loaded resource={list}>
      {(items) => (
        <div className="stack">
          <input
            className="input"
            type="search"
            style={{ maxWidth: 280 }}
            aria-label={t('Search tools')}
            placeholder={t('Search tools…')}
            value={query}
            onChange={(event) => setQuery(event.target.value)}
          />
          {items
            .filter((tool) =>
              `${tool.name} ${tool.description} ${tool.category}`.toLowerCase().includes(query.toLowerCase()),
            )
            .map((tool) => (
              <details key={tool.name} className="card card-body">
                <summary>
                  <span className="row wrap" style={{ display: 'inline-flex', width: 'calc(100% - 20px)' }}>
                    <strong className="mono" style={{ color: 'var(--text)' }}>
                      {tool.name}
                    </strong>
                    <span className="grow truncate">{tool.description}</span>
                    <Chip
                      shape={tool.risk === 'Dangerous' ? 'cross' : tool.risk === 'Moderate' ? 'gauge' : 'tick'}
                      tone={tool.risk === 'Dangerous' ? 'bad' : tool.risk === 'Moderate' ? 'warn' : 'good'}
                    >
                      {words(tool.risk)}
                    </Chip>
                    {tool.requiresApproval && (
                      <Chip shape="gate" tone="warn">
                        {t('Asks first')}
                      </Chip>
                    )}
                    {tool.sandboxed && (
                      <Chip shape="dam" tone="violet">
                        {t('Sandboxed')}
                      </Chip>
                    )}
                  </span>
                </summary>
                <p className="muted">{tool.description}</p>
                <Json value={tool.inputSchemaJson} />
              </details>
            ))}
        </div>
      )}
    </Loaded>
  );
}
