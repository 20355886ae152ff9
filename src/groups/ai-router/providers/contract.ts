// Model providers and the pools of keys by which they are used.
import { z } from 'zod';
import { AIHealthState, AIProviderKind } from '../../../contract/enums.ts';
import { group, op } from '../../../contract/operation.ts';
import { listQuery, page } from '../../../contract/page.ts';
import { boolean, dateTime, double, fields, int32, int64, nothing, string } from '../../../contract/types.ts';
import { AIModelSyncDto, AIProviderDto, AIProviderHealthDto, AIProviderKeyDto, AIProviderTestDto } from '../dto.ts';

const name = string.trim().min(1).max(100);
const baseUrl = z.url({ protocol: /^https?$/ }).max(500);
const apiKey = string.trim().min(1).max(1_000);
/** JSON object of header name to value. */
const headersJson = string.max(10_000);
const timeoutMs = int32.min(1_000).max(3_600_000);
/** 0 means no limit. */
const maxConcurrency = int32.min(0).max(100_000);
const perMinute = int32.min(1);
const weight = int32.min(1).max(1_000);
const label = string.trim().min(1).max(100);
const usd = double.min(0);

export const aiProviders = group(
  'AIRouter',
  { id: 'AIProviders', base: '/api/ai-router', doc: 'Model providers, local and remote, and their credentials.' },
  {
    list: op.get('/providers', {
      doc: 'List model providers with health, key and model counts.',
      needs: 'AiRouterRead',
      query: listQuery(['priority', 'name', 'createdAtUtc', 'id'], {
        kind: AIProviderKind.optional(),
        enabled: boolean.optional(),
        healthState: AIHealthState.optional(),
        q: string.max(200).optional(),
      }),
      data: page(AIProviderDto),
    }),
    create: op.post('/providers', {
      doc: 'Add a model provider, local or remote; `syncModels` reads its models at once.',
      needs: 'AiRouterWrite',
      body: fields({
        name,
        kind: AIProviderKind,
        baseUrl: baseUrl.nullish(),
        apiKey: apiKey.nullish(),
        enabled: boolean.nullish(),
        priority: int32.nullish(),
        timeoutMs: timeoutMs.nullish(),
        maxConcurrency: maxConcurrency.nullish(),
        requestsPerMinute: perMinute.nullish(),
        tokensPerMinute: perMinute.nullish(),
        headersJson: headersJson.nullish(),
        syncModels: boolean.nullish(),
      }),
      data: AIProviderDto,
    }),
    get: op.get('/providers/{id}', { doc: 'Get one provider.', needs: 'AiRouterRead', data: AIProviderDto }),
    patch: op.patch('/providers/{id}', {
      doc: 'Change some settings of a provider; null clears a limit, an address or the headers. A new address needs the apiKey again, and the headers where there are any; earlier keys are forgotten.',
      needs: 'AiRouterWrite',
      body: fields({
        name: name.optional(),
        baseUrl: baseUrl.nullish(),
        apiKey: apiKey.optional(),
        enabled: boolean.optional(),
        priority: int32.optional(),
        timeoutMs: timeoutMs.optional(),
        maxConcurrency: maxConcurrency.optional(),
        requestsPerMinute: perMinute.nullish(),
        tokensPerMinute: perMinute.nullish(),
        headersJson: headersJson.nullish(),
      }),
      data: AIProviderDto,
    }),
    remove: op.delete('/providers/{id}', {
      doc: 'Delete a provider with its keys and models; `force` also where routes use them.',
      needs: 'AiRouterWrite',
      body: fields({ force: boolean.optional() }).optional(),
      data: nothing,
    }),
    test: op.post('/providers/{id}/test', {
      doc: 'Call the provider once and report reachability, latency and error.',
      needs: 'AiRouterWrite',
      idempotent: false,
      timeoutMs: 120_000,
      body: fields({ modelId: string.max(200).nullish(), prompt: string.max(10_000).nullish() }),
      data: AIProviderTestDto,
    }),
    syncModels: op.post('/providers/{id}/sync-models', {
      doc: "Read the provider's list of models and update the catalogue.",
      needs: 'AiRouterWrite',
      body: fields({ disableMissing: boolean.nullish(), dryRun: boolean.nullish() }),
      data: AIModelSyncDto,
    }),
    resetCircuit: op.post('/providers/{id}/reset-circuit', {
      doc: "Close the provider's circuit breaker, so that it is called again.",
      needs: 'AiRouterWrite',
      idempotent: false,
      body: fields({ modelId: string.max(200).nullish() }),
      data: AIProviderHealthDto,
    }),
    health: op.get('/health', {
      doc: 'Live health of each provider and model, with the state of its circuit.',
      needs: 'AiRouterRead',
      query: fields({ windowMinutes: int32.min(1).max(1_440).default(15), providerId: int64.optional() }),
      data: z.array(AIProviderHealthDto),
    }),
    listKeys: op.get('/providers/{providerId}/keys', {
      doc: "List a provider's credentials, masked.",
      needs: 'AiRouterWrite',
      data: z.array(AIProviderKeyDto),
    }),
    createKey: op.post('/providers/{providerId}/keys', {
      doc: "Add a credential to a provider's pool of keys; it is sealed and never shown again.",
      needs: 'AiRouterWrite',
      body: fields({
        label,
        apiKey,
        weight: weight.nullish(),
        enabled: boolean.nullish(),
        monthlyLimitUsd: usd.nullish(),
        expiresAtUtc: dateTime.nullish(),
      }),
      data: AIProviderKeyDto,
    }),
    patchKey: op.patch('/keys/{id}', {
      doc: 'Relabel, weigh, disable or replace a credential.',
      needs: 'AiRouterWrite',
      body: fields({
        label: label.optional(),
        apiKey: apiKey.optional(),
        weight: weight.optional(),
        enabled: boolean.optional(),
        monthlyLimitUsd: usd.nullish(),
        expiresAtUtc: dateTime.nullish(),
      }),
      data: AIProviderKeyDto,
    }),
    removeKey: op.delete('/keys/{id}', { doc: 'Remove a credential.', needs: 'AiRouterWrite', data: nothing }),
  },
);
