// Routes: which model a call gets, by policy, and why.
import { z } from 'zod';
import { AIModelCapability, AIModelKind, AIRoutePolicy } from '../../../contract/enums.ts';
import { group, op } from '../../../contract/operation.ts';
import { listQuery, page } from '../../../contract/page.ts';
import { boolean, double, fields, float, int32, int64, nothing, string } from '../../../contract/types.ts';
import { AIRouteDecisionDto, AIRouteDto } from '../dto.ts';

const name = string
  .trim()
  .min(1)
  .max(100)
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._-]*$/u, 'letters, digits, spaces and . _ - only');
const description = string.max(2_000);
const timeoutMs = int32.min(1_000).max(3_600_000);
const target = fields({
  aiModelId: int64,
  /** Known from the catalogue; taken so that an answer can be sent back, and not looked at. */
  modelId: string.nullish(),
  providerName: string.nullish(),
  priority: int32.nullish(),
  weight: int32.min(0).max(1_000).nullish(),
  enabled: boolean.nullish(),
  maxConcurrency: int32.min(1).nullish(),
  temperature: float.min(0).max(2).nullish(),
  maxOutputTokens: int32.min(1).nullish(),
  reasoningEffort: string.max(20).nullish(),
});
const targets = z.array(target).max(50);

const optional = {
  description: description.nullish(),
  fallbackRouteId: int64.nullish(),
  matchRoles: z.array(string.trim().min(1).max(100)).max(200).optional(),
  matchIdentityIds: z.array(int64).max(1_000).optional(),
  matchProjectIds: z.array(int64).max(1_000).optional(),
  requiredCapabilities: z.array(AIModelCapability).optional(),
  isDefault: boolean.optional(),
  enabled: boolean.optional(),
  maxAttempts: int32.min(1).max(10).optional(),
  timeoutMs: timeoutMs.optional(),
  firstTokenTimeoutMs: timeoutMs.nullish(),
  maxCostPerCallUsd: double.min(0).nullish(),
  stickySeconds: int32.min(0).max(86_400).optional(),
};

export const aiRoutes = group(
  'AIRouter',
  { id: 'AIRoutes', base: '/api/ai-router', doc: 'Routes that choose among models by policy.' },
  {
    list: op.get('/routes', {
      doc: 'List routes with targets and policy.',
      needs: 'AiRouterRead',
      query: listQuery(['name', 'createdAtUtc', 'id'], {
        kind: AIModelKind.optional(),
        policy: AIRoutePolicy.optional(),
        enabled: boolean.optional(),
        q: string.max(200).optional(),
      }),
      data: page(AIRouteDto),
    }),
    create: op.post('/routes', {
      doc: 'Create a route that chooses among targets by policy.',
      needs: 'AiRouterWrite',
      body: fields({ name, kind: AIModelKind.optional(), policy: AIRoutePolicy, targets, ...optional }),
      data: AIRouteDto,
    }),
    get: op.get('/routes/{id}', { doc: 'Get one route.', needs: 'AiRouterRead', data: AIRouteDto }),
    patch: op.patch('/routes/{id}', {
      doc: 'Change some settings of a route; null clears.',
      needs: 'AiRouterWrite',
      body: fields({ name: name.optional(), policy: AIRoutePolicy.optional(), ...optional }),
      data: AIRouteDto,
    }),
    remove: op.delete('/routes/{id}', {
      doc: 'Delete a route that is not a default.',
      needs: 'AiRouterWrite',
      data: nothing,
    }),
    setTargets: op.put('/routes/{id}/targets', {
      doc: "Replace a route's ordered targets, weights and limits.",
      needs: 'AiRouterWrite',
      body: fields({ targets }),
      data: AIRouteDto,
    }),
    explain: op.post('/routes/{id}/explain', {
      doc: 'Try a route without calling a model, and show the score or the reason of each candidate.',
      needs: 'AiRouterRead',
      idempotent: false,
      body: fields({
        promptTokens: int32.min(0).nullish(),
        maxOutputTokens: int32.min(0).nullish(),
        capabilities: z.array(AIModelCapability).nullish(),
        identityId: int64.nullish(),
        projectId: int64.nullish(),
        excludeProviderIds: z.array(int64).nullish(),
      }),
      data: AIRouteDecisionDto,
    }),
    resolve: op.get('/resolve', {
      doc: 'Show which route and model a request would get now.',
      needs: 'AiRouterRead',
      query: fields({
        model: string.max(200).optional(),
        role: string.max(100).optional(),
        kind: AIModelKind.optional(),
        identityId: int64.optional(),
        projectId: int64.optional(),
        capability: AIModelCapability.optional(),
      }),
      data: AIRouteDecisionDto,
    }),
  },
);
