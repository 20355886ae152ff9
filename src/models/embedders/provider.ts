// An embedder over a configured provider's model, through the router: with its prices, budgets and circuits.
import type { Embedder } from '../../ports/embedder.ts';
import type { ModelRouter } from '../../ports/model-router.ts';
import { shortened, unit } from './vectors.ts';

/** Characters of a text that count: below the 8,000 tokens that most of these models read. */
const mostCharacters = 16_000;
const timeoutMs = 30_000;

interface Deps {
  router: Pick<ModelRouter, 'embed'>;
  /** `provider:model`. */
  modelId: string;
}

export function createProviderEmbedder({ router, modelId }: Deps): Embedder {
  return {
    model: modelId,
    // These models are trained for retrieval, unlike the bundled one. Nobody has measured how much more to trust them,
    // so meaning and words weigh the same.
    weights: { semantic: 0.5, keyword: 0.5 },
    reads: (text) => /\p{L}|\p{N}/u.test(text),
    async embed(tenantId, texts, what) {
      const { vectors } = await router.embed({
        tenantId,
        modelId,
        inputs: texts.map((text) => shortened(text, mostCharacters)),
        asWritten: {},
        signal: AbortSignal.timeout(what === 'question' ? timeoutMs / 3 : timeoutMs),
      });
      return vectors.map(unit);
    },
    close: async () => {},
  };
}
