import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../kernel/clock.ts';
import type { Embedder } from '../../ports/embedder.ts';
import { createBundledEmbedder } from './bundled.ts';
import { withCache } from './cached.ts';
import { createProviderEmbedder } from './provider.ts';

const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, one, at) => sum + one * (b[at] as number), 0);

describe('the bundled embedder', () => {
  const embedder = createBundledEmbedder({ clock: systemClock });
  afterAll(() => embedder.close());

  it('puts texts of one meaning near each other', async () => {
    const texts = ['The cat sleeps on the sofa.', 'A kitten naps on the couch.', 'Interest rates rose last quarter.'];
    const [cat, kitten, rates] = (await embedder.embed(1, texts, 'document')) as [
      Float32Array,
      Float32Array,
      Float32Array,
    ];
    expect(cat).toHaveLength(512);
    expect(dot(cat, cat)).toBeCloseTo(1, 4);
    expect(dot(cat, kitten)).toBeGreaterThan(dot(cat, rates) + 0.2);
  });

  it('answers a question before documents that wait', async () => {
    const order: string[] = [];
    const documents = embedder
      .embed(
        1,
        Array.from({ length: 64 }, (_, at) => `document number ${at}`),
        'document',
      )
      .then((vectors) => order.push(`${vectors.length} documents`));
    const question = embedder.embed(1, ['a question'], 'question').then(() => order.push('question'));
    await Promise.all([documents, question]);
    expect(order).toEqual(['question', '64 documents']);
  });

  it('starts again after it was stopped', async () => {
    await embedder.close();
    const [vector] = await embedder.embed(1, ['again'], 'question');
    expect(vector).toHaveLength(512);
  });

  it.each([
    ['Wir treffen uns in München.', true],
    ['会議は上海で', false],
    ['Встреча в Москве', false],
    ['meeting 会議 room', true],
    ['42', false],
    ['', false],
  ])('reads %s: %s', (text, reads) => {
    expect(embedder.reads(text)).toBe(reads);
  });
});

describe('the thread of the bundled embedder', () => {
  const embeds = async (first: string) => {
    const embedder = createBundledEmbedder({ clock: systemClock, first });
    try {
      const ask = () => embedder.embed(1, ['a question'], 'question').then(([vector]) => vector?.length);
      return [await ask().catch((error: Error) => error.message), await ask()];
    } finally {
      await embedder.close();
    }
  };

  it('reads the weights once the backend is there, however long that takes', async () => {
    const slow = `
      const own = WebAssembly.instantiate;
      const slowly = () => new Promise((done) => setTimeout(done, 300));
      WebAssembly.instantiate = async (...args) => { await slowly(); return own(...args); };`;
    expect(await embeds(slow)).toEqual([512, 512]);
  });

  it('ends when the model cannot be read, so that the next text is answered by another', async () => {
    const mark = join(await mkdtemp(join(tmpdir(), 'rivulet-embedder-')), 'failed');
    const failing = `
      if (!require('node:fs').existsSync(${JSON.stringify(mark)})) {
        require('node:fs').writeFileSync(${JSON.stringify(mark)}, '');
        require('node:fs/promises').readFile = async () => { throw new Error('no room'); };
      }`;
    expect(await embeds(failing)).toEqual([expect.stringContaining('no room'), 512]);
    await rm(dirname(mark), { recursive: true });
  });
});

const counting = (): Embedder & { asked: string[] } => {
  const asked: string[] = [];
  return {
    asked,
    model: 'counting',
    weights: { semantic: 1, keyword: 0 },
    reads: () => true,
    async embed(_tenant, texts) {
      asked.push(...texts);
      if (texts.includes('trouble')) throw new Error('trouble');
      return texts.map(({ length }) => Float32Array.of(length));
    },
    close: async () => {},
  };
};

describe('an embedder that remembers', () => {
  it('asks once for a question of a tenant, and each time for a document', async () => {
    const inner = counting();
    const cached = withCache(inner);
    const twice = await Promise.all([
      cached.embed(1, ['why', 'how'], 'question'),
      cached.embed(1, ['why'], 'question'),
    ]);
    expect(twice).toEqual([[Float32Array.of(3), Float32Array.of(3)], [Float32Array.of(3)]]);
    expect(inner.asked).toEqual(['why', 'how']);
    await cached.embed(2, ['why'], 'question');
    await cached.embed(1, ['why'], 'document');
    await cached.embed(1, ['why'], 'document');
    expect(inner.asked).toEqual(['why', 'how', 'why', 'why', 'why']);
  });

  it('asks again after a failure', async () => {
    const inner = counting();
    const cached = withCache(inner);
    await expect(cached.embed(1, ['trouble'], 'question')).rejects.toThrow('trouble');
    await expect(cached.embed(1, ['trouble'], 'question')).rejects.toThrow('trouble');
    expect(inner.asked).toHaveLength(2);
  });
});

it("embeds by a provider's model, with vectors of length 1", async () => {
  const asked: unknown[] = [];
  const embedder = createProviderEmbedder({
    modelId: 'openai:small',
    router: {
      async embed({ signal: _, ...request }) {
        asked.push(request);
        const vectors = request.inputs.map(() => [3, 4]);
        return { vectors, modelId: 'openai:small', providerName: 'x', promptTokens: 1, costUsd: 0, latencyMs: 1 };
      },
    },
  });
  expect(await embedder.embed(7, ['会議', 'x'.repeat(20_000)], 'document')).toEqual([
    Float32Array.of(0.6, 0.8),
    Float32Array.of(0.6, 0.8),
  ]);
  expect(asked).toMatchObject([{ tenantId: 7, modelId: 'openai:small' }]);
  expect((asked as { inputs: string[] }[])[0]?.inputs[1]).toHaveLength(16_000);
});
