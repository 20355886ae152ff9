// An embedder that remembers questions: people and agents ask the same again and again.
import { createHash } from 'node:crypto';
import { createLru } from '../../kernel/lru.ts';
import type { Embedder } from '../../ports/embedder.ts';

/** Questions that are remembered: 4 MB at 512 dimensions. */
const mostQuestions = 2000;

/** Documents are not remembered, and questions by their digest alone, so that nothing of a text stays in memory. */
export function withCache(embedder: Embedder): Embedder {
  const known = createLru<string, Promise<Float32Array>>(mostQuestions);
  const one = (tenantId: number, text: string) => {
    // Keys hold the tenant, so that the time of an answer tells nobody what other tenants asked.
    const key = createHash('sha256').update(`${tenantId}\n${text}`).digest('base64');
    const there = known.get(key);
    if (there) return there;
    const asked = embedder.embed(tenantId, [text], 'question').then(([vector]) => vector as Float32Array);
    known.set(key, asked);
    asked.catch(() => known.delete(key));
    return asked;
  };
  return {
    model: embedder.model,
    weights: embedder.weights,
    reads: embedder.reads,
    close: () => embedder.close(),
    embed: (tenantId, texts, what) =>
      what === 'question'
        ? Promise.all(texts.map((text) => one(tenantId, text)))
        : embedder.embed(tenantId, texts, what),
  };
}
