// Where memories are found: the index of words, the store of vectors and the embedder that the settings ask for.
import type { Config } from '../config.ts';
import type { Clock } from '../kernel/clock.ts';
import { type Indexes, memoryKind } from '../memory/ports.ts';
import { bundledModel, createBundledEmbedder } from '../models/embedders/bundled.ts';
import { withCache } from '../models/embedders/cached.ts';
import { createProviderEmbedder } from '../models/embedders/provider.ts';
import type { Embedder } from '../ports/embedder.ts';
import type { ModelRouter } from '../ports/model-router.ts';
import type { Vectors } from '../ports/vectors.ts';
import { createEmbeddedVectors } from '../stores/vectors/embedded/vectors.ts';
import { createNoVectors } from '../stores/vectors/none.ts';
import { createDocumentWords } from '../stores/words/documents.ts';
import { createEmbeddedWords } from '../stores/words/embedded.ts';
import { withKeyedWords } from '../stores/words/keyed.ts';
import type { Storage } from './storage.ts';

interface Deps {
  config: Config;
  storage: Storage;
  router: Pick<ModelRouter, 'embed'>;
  clock: Clock;
}

/** Kinds of documents that may be encrypted. */
const sealedKinds: ReadonlySet<string> = new Set([memoryKind]);

/** Nothing is loaded or asked before the first memory: neither the bundled model nor Qdrant. */
export async function openMemory({ config, storage, router, clock }: Deps) {
  const { file, memorySeals } = storage;
  const words = file ? createEmbeddedWords({ sqlite: file }) : createDocumentWords({ db: storage.db });
  const embedders = new Map<string, Embedder>();
  const embedderOf = (model: string): Embedder => {
    const known = embedders.get(model);
    if (known) return known;
    const made = withCache(
      model === bundledModel ? createBundledEmbedder({ clock }) : createProviderEmbedder({ router, modelId: model }),
    );
    embedders.set(model, made);
    return made;
  };
  const indexes: Indexes = {
    vectors: await openVectors(config, file),
    words: withKeyedWords(words, memorySeals, sealedKinds),
    seals: memorySeals,
    embedder: embedderOf(config.embeddingModel ?? bundledModel),
    formerEmbedder: embedderOf,
    refilling: new Set(),
    ...(file && { scrub: () => file.scrub() }),
  };
  return {
    indexes,
    close: async () => {
      await Promise.all([...embedders.values()].map((one) => one.close()));
    },
  };
}

async function openVectors({ qdrant }: Config, file: Storage['file']): Promise<Vectors> {
  if (qdrant) return (await import('../stores/vectors/qdrant/vectors.ts')).createQdrantVectors(qdrant);
  // Nodes that share a MongoDB have no file that all of them see.
  return file ? createEmbeddedVectors({ sqlite: file }) : createNoVectors();
}
