// Tool profiles: which tools a role may use freely, only when it asks, or never.
import { useState } from 'react';
import type { AgentToolProfileDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Chip } from '../../ui/status.tsx';
import { ProfileDialog } from './profile-dialog.tsx';

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

export function Profiles() {
  const list = useResource('profiles', () => client.agentToolProfiles.list({ query: { pageSize: 200 } }));
  const [editing, setEditing] = useState<AgentToolProfileDto | 'new' | null>(null);
  return (
    <div className="stack">
      {may('AgentConfigWrite') && (
        <div>
          <Button icon="plus" onClick={() => setEditing('new')}>
            {t('New tool profile')}
          </Button>
        </div>
      )}
      <Loaded resource={list}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('No tool profiles yet')}>
              {t('A profile says which tools a role may use freely, only after approval, or never.')}
            </Empty>
          ) : (
            <div className="cards-2">
              {items.map((one) => (
                <Profile key={one.id} profile={one} onEdit={() => setEditing(one)} />
              ))}
            </div>
          )
        }
      </Loaded>
      {editing && (
        <ProfileDialog
          {...(editing === 'new' ? {} : { profile: editing })}
          onClose={() => setEditing(null)}
          onDone={list.reload}
        />
      )}
    </div>
  );
}

function Profile({ profile, onEdit }: { profile: AgentToolProfileDto; onEdit: () => void }) {
  return (
    <section className="card" aria-label={profile.name}>
      <div className="card-head">
        <h2>{profile.name}</h2>
        <span className="row">
          <span className="muted">{profile.role}</span>
          {may('AgentConfigWrite') && (
            <Button size="small" icon="edit" onClick={onEdit}>
              {t('Change')}
            </Button>
          )}
        </span>
      </div>
      <div className="card-body stack">
        {profile.description && <p className="muted">{profile.description}</p>}
        <ToolNames label={t('Allowed')} names={profile.safeTools} tone="good" />
        <ToolNames label={t('Approval required')} names={profile.optInTools} tone="warn" />
        <ToolNames label={t('Blocked')} names={profile.blockedTools} tone="bad" />
        <ToolNames label={t('Sandboxed')} names={profile.sandboxedTools} tone="violet" />
        {profile.discoveryEnabled && <p className="muted small">{t('Tools that are not listed are allowed.')}</p>}
      </div>
    </section>
  );
}
