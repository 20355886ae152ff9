// Settings of the gateway: default routes, patience, circuits, and what is kept of prompts.
import { type FormEvent, useState } from 'react';
import type { AIRouterSettingsDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';

const routes = {
  defaultChatRouteId: 'Chats',
  defaultRunRouteId: 'Runs',
  defaultEmbeddingRouteId: 'Embeddings',
  supervisorRouteId: 'Supervisor',
  summaryRouteId: 'Summaries',
} as const;
const numbers = {
  maxAttempts: 'Maximum attempts',
  retryBackoffMs: 'First retry delay, ms',
  defaultTimeoutMs: 'Request timeout, ms',
  firstTokenTimeoutMs: 'Time to first token, ms',
  circuitFailureThreshold: 'Circuit breaker failures',
  circuitOpenSeconds: 'Circuit breaker open time, s',
  healthProbeSeconds: 'Health probe interval, s',
  promptRetentionDays: 'Prompt retention, days',
  cacheTtlSeconds: 'Prompt cache lifetime, s',
} as const;
const switches = {
  recordPrompts: 'Record prompts and answers of calls',
  cacheEnabled: 'Use prompt caches of providers',
  allowDirectModel: 'Allow requests to name a model without a route',
} as const;

const keysOf = <Key extends string>(table: Record<Key, string>) => Object.entries(table) as [Key, string][];

export function RouterSettings() {
  const settings = useResource('router settings', () => client.aiSettings.get());
  return <Loaded resource={settings}>{(known) => <Form known={known} onDone={settings.reload} />}</Loaded>;
}

function Form({ known, onDone }: { known: AIRouterSettingsDto; onDone: () => void }) {
  const [draft, setDraft] = useState(known);
  const change = (part: Partial<AIRouterSettingsDto>) => setDraft({ ...draft, ...part });
  const { busy, act } = useAction();
  const save = async () => {
    const { updatedAtUtc: _, ...body } = draft;
    await client.aiSettings.replace({ body });
    say(t('Saved'));
    onDone();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void act(save);
  };
  return (
    <form className="stack" onSubmit={submit}>
      <DefaultRoutes draft={draft} onChange={change} />
      <section className="card">
        <div className="card-head">
          <h2>{t('Timeouts and retries')}</h2>
        </div>
        <div className="card-body form-grid">
          {keysOf(numbers).map(([key, label]) => (
            <TextField
              key={key}
              label={t(label)}
              type="number"
              value={String(draft[key])}
              onChange={(value) => change({ [key]: Number(value) })}
            />
          ))}
        </div>
      </section>
      {keysOf(switches).map(([key, label]) => (
        <CheckField key={key} label={t(label)} checked={draft[key]} onChange={(value) => change({ [key]: value })} />
      ))}
      {may('AiRouterWrite') && (
        <div>
          <Button type="submit" kind="primary" disabled={busy}>
            {t('Save')}
          </Button>
        </div>
      )}
    </form>
  );
}

interface RoutesProps {
  draft: AIRouterSettingsDto;
  onChange: (part: Partial<AIRouterSettingsDto>) => void;
}

function DefaultRoutes({ draft, onChange }: RoutesProps) {
  const list = useResource('settings routes', () => client.aiRoutes.list({ query: { pageSize: 200 } }));
  const known = list.data?.items.map((route) => [String(route.id), route.name] as const) ?? [];
  return (
    <section className="card">
      <div className="card-head">
        <h2>{t('Default routes')}</h2>
      </div>
      <div className="card-body form-grid">
        {keysOf(routes).map(([key, label]) => (
          <SelectField
            key={key}
            label={t(label)}
            value={String(draft[key] ?? '')}
            onChange={(id) => onChange({ [key]: Number(id) || null })}
            options={[['', t('the default route')], ...known]}
          />
        ))}
      </div>
    </section>
  );
}
