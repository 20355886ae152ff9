// The providers that the environment configures, as a directory of targets.
import { anyModel, type ModelRequest } from '../../../runtime/model.ts';
import { Fault } from '../../kernel/fault.ts';
import { bundledPrices, type PriceList } from '../pricing/price-list.ts';
import { keyVariable } from '../providers/failure.ts';
import { familyLimits } from '../providers/limits.ts';
import { parseModelId } from '../providers/model-id.ts';
import type { ModelSettings, ProviderAccess } from '../providers/settings.ts';
import type { ModelDirectory, ProviderConfig, Target } from '../providers/target.ts';
import type { ListModels } from './list-models.ts';

const ollamaUrl = 'http://127.0.0.1:11434/v1';

/** Cheap, capable, and there for every account. */
const defaults: [string, string][] = [
  ['openai', 'openai:gpt-5-mini'],
  ['anthropic', 'anthropic:claude-sonnet-5-5'],
  ['google', 'google:gemini-flash-latest'],
];

/** Stands for the first model of a server that serves models of its own. */
const firstModel = 'default';

/** Targets from the environment's settings: `provider:model` goes to that provider, fallbacks follow in order. */
export function createSettingsDirectory(
  settings: ModelSettings,
  listModels: ListModels,
  prices: PriceList = bundledPrices,
): ModelDirectory {
  const providers = configuredProviders(settings);
  const firstModels = new Map<string, Promise<string>>();

  const nameOf = (provider: ProviderConfig, name: string): Promise<string> | string => {
    if (name !== firstModel || provider.kind !== 'openai-compatible') return name;
    let found = firstModels.get(provider.key);
    if (!found) {
      found = listModels(provider).then((names) => names[0] ?? Promise.reject(new Error('it lists no models')));
      firstModels.set(provider.key, found);
      found.catch(() => firstModels.delete(provider.key));
    }
    return found.catch((cause) => {
      throw new Fault('NOT_CONFIGURED', `${provider.name} did not say which models it has.`, {
        hint: 'Start the server, or name a model with RIVULET_MODEL=provider:model.',
        cause,
      });
    });
  };

  const target = async (modelId: string): Promise<Target> => {
    const { provider: key, name } = parseModelId(modelId);
    const provider = providers.get(key) ?? missing(key);
    const modelName = await nameOf(provider, name);
    const fullId = `${key}:${modelName}`;
    return { modelId: fullId, modelName, provider, price: provider.kind === 'scripted' ? free : prices.find(fullId) };
  };

  const defaultModelId = () => {
    if (settings.model) return settings.model;
    for (const [key, modelId] of defaults) {
      const provider = providers.get(key);
      if (provider) return provider.kind === 'openai-compatible' ? `${key}:${firstModel}` : modelId;
    }
    return settings.providers?.ollama?.baseUrl ? `ollama:${firstModel}` : 'scripted:hello';
  };

  const named = (modelId: string) => (modelId === anyModel ? defaultModelId() : modelId);

  return {
    async plan(request: ModelRequest) {
      const ids = [...new Set([request.modelId, ...(request.fallbackModelIds ?? [])].map(named))];
      const tried = await Promise.allSettled(ids.map(target));
      const targets = tried.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
      if (targets.length > 0) return { targets };
      const failed = tried.find((result) => result.status === 'rejected');
      throw failed?.reason ?? new Fault('NO_ROUTE_AVAILABLE', 'No model was named.');
    },
    facts: (modelId) => ({ ...familyLimits(named(modelId)), price: prices.find(named(modelId)) }),
    defaultModelId,
  };
}

/** A scripted answer costs nothing and says so; that is a price, too. */
const free = { input: 0, output: 0 };

/** Providers that the settings give access to, by the prefix of their model ids. */
export function configuredProviders({ providers = {} }: ModelSettings): Map<string, ProviderConfig> {
  const openai = present(providers.openai);
  const anthropic = present(providers.anthropic);
  const google = present(providers.google);
  const found: ProviderConfig[] = [{ key: 'scripted', name: 'The scripted provider', kind: 'scripted' }];
  if (openai.baseUrl) {
    found.push({ key: 'openai', name: 'The OpenAI-compatible server', kind: 'openai-compatible', ...openai });
  } else if (openai.apiKey) found.push({ key: 'openai', name: 'OpenAI', kind: 'openai', ...openai });
  if (anthropic.apiKey) found.push({ key: 'anthropic', name: 'Anthropic', kind: 'anthropic', ...anthropic });
  if (google.apiKey) found.push({ key: 'google', name: 'Google', kind: 'google', ...google });
  const local = { baseUrl: ollamaUrl, ...present(providers.ollama) };
  found.push({ key: 'ollama', name: 'Ollama', kind: 'openai-compatible', ...local });
  return new Map(found.map((provider) => [provider.key, provider]));
}

const present = ({ apiKey, baseUrl }: ProviderAccess = {}) => ({
  ...(apiKey && { apiKey }),
  ...(baseUrl && { baseUrl }),
});

function missing(key: string): never {
  const variable = keyVariable[key];
  if (!variable) {
    throw new Fault('NOT_CONFIGURED', `There is no model provider named "${key.slice(0, 50)}".`, {
      hint: 'Use openai, anthropic, google, ollama or scripted, or add a provider with POST /api/ai-router/providers.',
    });
  }
  const alternative = key === 'openai' ? ' (or OPENAI_BASE_URL for a compatible server)' : '';
  throw new Fault('NOT_CONFIGURED', `The model provider ${key} has no key.`, {
    hint: `Set ${variable}${alternative} and restart, or use a model of another provider.`,
  });
}
