// The playground: one prompt on one model or several, with everything that came back.
import { z } from 'zod';
import { group, op } from '../../../contract/operation.ts';
import { fields, float, int32, int64, jsonObject, string } from '../../../contract/types.ts';
import { AIEmbeddingTestDto, AIPlaygroundResultDto } from '../dto.ts';

const modelId = string.trim().min(1).max(200);
const message = fields({
  role: z.enum(['system', 'user', 'assistant', 'tool']),
  content: string.max(500_000),
  toolCallId: string.max(200).nullish(),
  toolCalls: z.array(jsonObject).max(100).nullish(),
});
const prompt = {
  systemPrompt: string.max(100_000).nullish(),
  messages: z.array(message).min(1).max(500),
  temperature: float.min(0).max(2).nullish(),
  maxOutputTokens: int32.min(1).nullish(),
  reasoningEffort: string.max(20).nullish(),
};
const one = {
  modelId: modelId.nullish(),
  routeId: int64.nullish(),
  ...prompt,
  /** As OpenAI writes them, or `{name, description, inputSchema}`. */
  tools: z.array(jsonObject).max(100).nullish(),
};

/** One prompt on one model or route. */
export const PlaygroundPrompt = fields(one);
export type PlaygroundPrompt = z.output<typeof PlaygroundPrompt>;

export const aiPlayground = group(
  'AIRouter',
  { id: 'AIPlayground', base: '/api/ai-router/playground', doc: 'Try models and routes.' },
  {
    chat: op.post('/chat', {
      doc: 'Run one prompt on a model or route and return everything.',
      needs: 'AiRouterUse',
      timeoutMs: 600_000,
      idempotent: false,
      body: PlaygroundPrompt,
      data: AIPlaygroundResultDto,
    }),
    stream: op.post('/chat/stream', {
      doc: 'Run one prompt and stream tokens, timing and cost as server-sent events.',
      needs: 'AiRouterUse',
      reply: 'stream',
      idempotent: false,
      body: PlaygroundPrompt,
      data: string,
    }),
    compare: op.post('/compare', {
      doc: 'Run the same prompt on several models side by side.',
      needs: 'AiRouterUse',
      timeoutMs: 600_000,
      idempotent: false,
      body: fields({ modelIds: z.array(modelId).min(1).max(10), ...prompt }),
      data: z.array(AIPlaygroundResultDto),
    }),
    embeddings: op.post('/embeddings', {
      doc: 'Embed texts and return dimensions, latency and how similar each pair is.',
      needs: 'AiRouterUse',
      timeoutMs: 120_000,
      idempotent: false,
      body: fields({
        modelId: modelId.nullish(),
        routeId: int64.nullish(),
        inputs: z.array(string.min(1).max(100_000)).min(1).max(100),
      }),
      data: AIEmbeddingTestDto,
    }),
  },
);
