// The inbox of decisions: the most urgent first, then the one whose time runs out first.

import { useState } from 'react';
import type { AgentEscalationDto, EscalationUrgency } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { useShortcuts } from '../../base/keys.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { useStore } from '../../base/store.ts';
import { client } from '../../state/app.ts';
import { escalationStore, isOpen } from '../../state/escalations.ts';
import { useResource } from '../../state/resource.ts';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { EscalationCard } from './escalation-card.tsx';

const weight: Record<EscalationUrgency, number> = { Critical: 0, High: 1, Normal: 2, Low: 3 };

export function byUrgency(a: AgentEscalationDto, b: AgentEscalationDto): number {
  const urgency = weight[a.urgencyId ?? 'Normal'] - weight[b.urgencyId ?? 'Normal'];
  const end = (one: AgentEscalationDto) => (one.timeoutAtUtc ? Date.parse(one.timeoutAtUtc) : Number.POSITIVE_INFINITY);
  return urgency || end(a) - end(b) || a.id - b.id || 0;
}

export function EscalationsPage() {
  const { query } = useLocation();
  const tab = query.get('tab') === 'past' ? 'past' : 'open';
  const waiting = [...useStore(escalationStore).values()].filter(isOpen).sort(byUrgency);
  const [at, setAt] = useState(0);
  const move = (step: number) => {
    const next = Math.min(waiting.length - 1, Math.max(0, at + step));
    setAt(next);
    document.querySelector(`[data-escalation="${waiting[next]?.id}"]`)?.scrollIntoView({ block: 'nearest' });
  };
  useShortcuts([
    { keys: 'j', label: t('Next escalation'), run: () => move(1) },
    { keys: 'k', label: t('Previous escalation'), run: () => move(-1) },
  ]);
  return (
    <div className="page narrow">
      <div className="page-head">
        <h1>{t('Escalations')}</h1>
      </div>
      <Tabs
        label={t('Escalation status')}
        active={tab}
        onChange={(key) => patchQuery({ tab: key === 'open' ? null : key })}
        items={[
          { key: 'open', label: t('Waiting'), count: waiting.length },
          { key: 'past', label: t('Decided') },
        ]}
      />
      {tab === 'past' ? (
        <Past />
      ) : waiting.length === 0 ? (
        <Empty title={t('No pending decisions')}>{t('A run that needs a decision stops and asks here.')}</Empty>
      ) : (
        waiting.map((escalation, index) => (
          <EscalationCard key={escalation.id} escalation={escalation} selected={index === at} />
        ))
      )}
    </div>
  );
}

function Past() {
  const all = useResource('past escalations', () =>
    client.agentEscalations.list({ query: { pageSize: 100, sort: '-createdAtUtc' } }),
  );
  return (
    <Loaded resource={all}>
      {({ items }) => {
        const past = items.filter((one) => !isOpen(one));
        return past.length === 0 ? (
          <Empty title={t('No decisions yet')} />
        ) : (
          past.map((one) => <EscalationCard key={one.id} escalation={one} />)
        );
      }}
    </Loaded>
  );
}
