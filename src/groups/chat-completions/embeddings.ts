// Texts to embed and their vectors, as OpenAI writes them.
import { z } from 'zod';
import type { Embeddings } from '../../ports/model-router.ts';
import type { OpenAIEmbeddingList } from './dto.ts';
import { wrong } from './parts.ts';
import { decodeTokens } from './tokens.ts';

const Token = z.int().min(0).max(1_000_000);
const Tokens = z.array(Token).min(1).max(100_000);
const Input = z.union([
  z.array(z.string().min(1)).min(1).max(2048),
  Tokens.transform((tokens) => [tokens]),
  z.array(Tokens).min(1).max(2048),
]);

/** The texts of a call, one or several. @throws Fault VALIDATION_FAILED */
export async function readTexts(input: unknown): Promise<string[]> {
  const parsed = Input.safeParse(typeof input === 'string' ? [input] : input);
  if (parsed.success) return Promise.all(parsed.data.map((one) => (typeof one === 'string' ? one : decodeTokens(one))));
  throw wrong(
    'input',
    'is neither a text nor tokens, nor a list of either.',
    'Send up to 2048 texts or lists of tokens, none of them empty.',
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
