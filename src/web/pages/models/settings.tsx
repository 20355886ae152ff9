// Settings of the gateway: default routes, patience, circuits, and what is kept of prompts.
import type { AIRouterSettingsDto } from '../../../client/index.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { RecordForm, type Section } from '../../ui/record-form.tsx';
import { Loaded } from '../../ui/states.tsx';

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
const routes = {
  defaultChatRouteId: 'Chats',
  defaultRunRouteId: 'Runs',
  defaultEmbeddingRouteId: 'Embeddings',
  supervisorRouteId: 'Supervisor',
  summaryRouteId: 'Summaries',
} as const;

const keysOf = <Key extends string>(table: Record<Key, string>) => Object.entries(table) as [Key, string][];

const sectionsOf = (options: (readonly [string, string])[]): Section<keyof AIRouterSettingsDto>[] => [
  {
    title: 'Default routes',
    fields: keysOf(routes).map(([key, label]) => ({
      ...{ key, label, kind: 'choice', options, orNone: 'the default route', numeric: true },
    })),
  },
  {
    title: 'Timeouts and retries',
    fields: keysOf(numbers).map(([key, label]) => ({ key, label, kind: 'number' })),
  },
  {
    title: 'Calls',
    fields: keysOf(switches).map(([key, label]) => ({ key, label, kind: 'check' })),
  },
];

export function RouterSettings() {
  const settings = useResource('router settings', () => client.aiSettings.get());
  const list = useResource('settings routes', () => client.aiRoutes.list({ query: { pageSize: 200 } }));
  const known = list.data?.items.map((route) => [String(route.id), route.name] as const) ?? [];
  const save = async ({ updatedAtUtc: _, ...body }: AIRouterSettingsDto) => {
    const saved = await client.aiSettings.replace({ body });
    settings.put(() => saved);
  };
  return (
    <Loaded resource={settings}>
      {(value) => (
        <RecordForm
          draft="router-settings"
          value={value}
          sections={sectionsOf(known)}
          mayChange={may('AiRouterWrite')}
          onSave={save}
        />
      )}
    </Loaded>
  );
}
