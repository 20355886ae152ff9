// Settings of the router: default routes, patience, circuits and what is kept.
import { group } from '../../../contract/operation.ts';
import { settings } from '../../../contract/settings.ts';
import { boolean, int32, int64 } from '../../../contract/types.ts';
import { AIRouterSettingsDto } from '../dto.ts';

const milliseconds = int32.min(1_000).max(3_600_000);

export const aiSettings = group(
  'AIRouter',
  { id: 'AISettings', base: '/api/ai-router/settings', doc: 'Defaults of routing, retry, circuits and recording.' },
  settings({
    noun: 'router settings',
    at: '',
    dto: AIRouterSettingsDto,
    read: 'AiRouterRead',
    write: 'AiRouterWrite',
    fields: {
      defaultChatRouteId: int64.nullish(),
      defaultRunRouteId: int64.nullish(),
      defaultEmbeddingRouteId: int64.nullish(),
      supervisorRouteId: int64.nullish(),
      summaryRouteId: int64.nullish(),
      circuitFailureThreshold: int32.min(1).max(1_000),
      circuitOpenSeconds: int32.min(1).max(86_400),
      /** Providers that were not called for so long are asked for their models; 0 asks never. */
      healthProbeSeconds: int32.min(0).max(86_400),
      defaultTimeoutMs: milliseconds,
      firstTokenTimeoutMs: milliseconds,
      maxAttempts: int32.min(1).max(10),
      retryBackoffMs: int32.min(1).max(60_000),
      recordPrompts: boolean,
      promptRetentionDays: int32.min(0).max(3_650),
      cacheEnabled: boolean,
      /** Prompts stay at the provider at least so long where it offers that (Anthropic 5 minutes or an hour, OpenAI up to a day); 0 caches nothing. */
      cacheTtlSeconds: int32.min(0).max(86_400),
      allowDirectModel: boolean,
    },
    docs: {
      get: 'Get router defaults, retry, circuit and cache settings.',
      replace: 'Replace router defaults, retry, circuit and cache settings.',
    },
  }),
);
