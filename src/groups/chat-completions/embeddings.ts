// Texts to embed and their vectors, as OpenAI writes them.
import { z } from 'zod';
import type { Embeddings } from '../../ports/model-router.ts';
import type { OpenAIEmbeddingList } from './dto.ts';
import { wrong } from './parts.ts';

const Texts = z.array(z.string().min(1)).min(1).max(2048);

/** The texts of a call, one or several. @throws Fault VALIDATION_FAILED */
export function readTexts(input: unknown): string[] {
  const parsed = Texts.safeParse(typeof input === 'string' ? [input] : input);
  if (parsed.success) return parsed.data;
  throw wrong(
    'input',
    'is neither a text nor a list of texts.',
    'Send up to 2048 texts, none of them empty; tokens are not taken.',
  );
}

export function toEmbeddingList(
  { vectors, modelId, promptTokens }: Embeddings,
  asBase64: boolean,
): z.input<typeof OpenAIEmbeddingList> {
  return {
    object: 'list',
    data: vectors.map((vector, index) => ({
      object: 'embedding',
      index,
      embedding: asBase64 ? Buffer.from(new Float32Array(vector).buffer).toString('base64') : vector,
    })),
    model: modelId,
    usage: {
      prompt_tokens: promptTokens,
      completion_tokens: 0,
      total_tokens: promptTokens,
      prompt_tokens_details: null,
      completion_tokens_details: null,
    },
  };
}
