// Tries a provider: lists its models and, where a model is known, asks it for a word.
import type { Model, ModelRequest } from '../../../../runtime/model.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault, toFault } from '../../../kernel/fault.ts';
import type { CallDoc, ModelDoc, ProviderDoc } from '../../../ports/ai-router.ts';
import type { ModelRouter } from '../../../ports/model-router.ts';
import type { AIProviderTestDto } from '../dto.ts';
import type { AiRouterStore } from '../store.ts';

interface Deps {
  store: AiRouterStore;
  router: ModelRouter;
  model: Model;
  clock: Clock;
}

interface Wish {
  modelId?: string | null | undefined;
  prompt?: string | null | undefined;
}

/** A failure is an answer here, not an error. */
export async function testProvider(
  { store, router, model, clock }: Deps,
  provider: ProviderDoc,
  wish: Wish,
  signal: AbortSignal,
): Promise<AIProviderTestDto> {
  const started = clock.steady();
  const report = (more: Partial<AIProviderTestDto>): AIProviderTestDto => ({
    providerId: provider._id,
    ok: false,
    modelId: null,
    httpStatus: null,
    latencyMs: clock.steady() - started,
    timeToFirstTokenMs: null,
    reply: null,
    modelCount: null,
    error: null,
    errorCode: null,
    testedAtUtc: new Date(clock.now()).toISOString(),
    ...more,
  });
  const own = await store.models
    .of(provider.tenantId)
    .find({ providerId: provider._id }, { sort: { _id: 1 } })
    .toArray();
  const chosen = wish.modelId
    ? await modelNamed(store, provider, wish.modelId)
    : own.find(({ kind, enabled }) => kind === 'Chat' && enabled);
  if (!chosen) {
    try {
      const names = await router.listModels(provider);
      return report({ ok: true, httpStatus: 200, modelCount: names.length });
    } catch (error) {
      const { message, code } = toFault(error);
      return report({ error: message, errorCode: code });
    }
  }
  const request: ModelRequest = {
    tenantId: provider.tenantId,
    modelId: chosen.modelId,
    messages: [{ role: 'user', content: wish.prompt ?? 'Answer with the single word: ready' }],
    purpose: 'Test',
    maxOutputTokens: 500,
    signal,
  };
  const heard = { reply: '', error: null as string | null, errorCode: null as string | null };
  try {
    for await (const event of model.stream(request)) if (event.type === 'text') heard.reply += event.delta;
  } catch (error) {
    signal.throwIfAborted();
    const fault = toFault(error);
    heard.error = fault.message;
    heard.errorCode = fault.code;
  }
  const call = await router.callOf(request);
  return report({
    ...heard,
    ok: heard.error === null,
    reply: heard.reply || null,
    modelId: chosen.modelId,
    httpStatus: heard.error === null ? 200 : lastStatus(call),
    latencyMs: call.latencyMs,
    timeToFirstTokenMs: call.timeToFirstTokenMs,
    modelCount: own.length,
  });
}

const lastStatus = ({ attempts }: CallDoc) => attempts.at(-1)?.httpStatus ?? null;

async function modelNamed({ models }: AiRouterStore, provider: ProviderDoc, modelId: string): Promise<ModelDoc> {
  const own = await models.of(provider.tenantId).find({ providerId: provider._id }).toArray();
  const names = ({ modelId: id, providerModelName, aliases }: ModelDoc) => [id, providerModelName, ...aliases];
  const found = own.find((one) => names(one).includes(modelId));
  if (found) return found;
  throw new Fault('NOT_FOUND', `The provider ${provider.name} has no model "${modelId}" in the catalogue.`, {
    hint: 'Read its models with POST /api/ai-router/providers/{id}/sync-models, or add one with POST /api/ai-router/models.',
  });
}
