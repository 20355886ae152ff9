// Text completions, OpenAI's interface from before there were chats: each prompt is a message, and each answer a text.
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import type { ModelEvent, ModelUsage } from '../../../runtime/model.ts';
import type { Prompt } from './chat-prompt.ts';
import { toUsage } from './completion.ts';
import type { CompletionBody } from './contract.ts';
import type { OpenAICompletion } from './dto.ts';
import { wrong } from './parts.ts';
import { decodeTokens } from './tokens.ts';

const Token = z.int().min(0).max(1_000_000);
const PromptForm = z.union([
  z.string().transform((text) => [text]),
  z.array(z.string()).min(1).max(20),
  z
    .array(Token)
    .min(1)
    .transform((tokens) => [tokens]),
  z.array(z.array(Token).min(1)).min(1).max(20),
]);

/** The requests of a call, one a prompt. @throws Fault VALIDATION_FAILED */
export async function readPrompts(body: CompletionBody): Promise<{ text: string; prompt: Prompt }[]> {
  for (const field of ['suffix', 'logprobs'] as const)
    if (body[field]) throw wrong(field, 'is not taken.', `Leave ${field} out, or use chat completions.`);
  for (const field of ['n', 'best_of'] as const)
    if ((body[field] ?? 1) !== 1)
      throw wrong(field, 'one answer to each prompt is all there is.', `Leave ${field} out, and call several times.`);
  const parsed = PromptForm.safeParse(body.prompt);
  if (!parsed.success) throw wrong('prompt', 'is no prompt.', 'Send a text, tokens, or up to 20 of either.');
  const stop = [body.stop ?? []].flat().filter(Boolean);
  const common = {
    ...(stop.length > 0 && { stop }),
    ...(body.max_tokens != null && { maxOutputTokens: body.max_tokens }),
    ...(body.temperature != null && { temperature: body.temperature }),
    ...(body.top_p != null && { topP: body.top_p }),
    ...(body.frequency_penalty != null && { frequencyPenalty: body.frequency_penalty }),
    ...(body.presence_penalty != null && { presencePenalty: body.presence_penalty }),
    ...(body.seed != null && { seed: body.seed }),
  };
  const texts = await Promise.all(parsed.data.map((one) => (typeof one === 'string' ? one : decodeTokens(one))));
  return texts.map((text) => ({ text, prompt: { messages: [{ role: 'user', content: text }], ...common } }));
}

type Finish = Extract<ModelEvent, { type: 'finish' }>;
const newId = () => `cmpl-${randomUUID().replaceAll('-', '')}`;
const reasonOf = ({ reason }: Finish) =>
  reason === 'length' ? 'length' : reason === 'content-filter' ? 'content_filter' : 'stop';

/** The chunks of the answers, one prompt after the other; the sender ends with `[DONE]`. `created` in seconds. */
export async function* completionChunks(
  answers: AsyncIterable<{ echo: string; events: AsyncIterable<ModelEvent> }>,
  { created, model, includeUsage }: { created: number; model: string; includeUsage: boolean },
): AsyncGenerator<OpenAICompletion> {
  const id = newId();
  const chunk = (choices: OpenAICompletion['choices'], usage: OpenAICompletion['usage'] = null): OpenAICompletion => ({
    id,
    object: 'text_completion',
    created,
    model,
    choices,
    usage,
    system_fingerprint: null,
  });
  const usages: ModelUsage[] = [];
  let index = 0;
  for await (const { echo, events } of answers) {
    const piece = (text: string, finish_reason: string | null = null) =>
      chunk([{ text, index, logprobs: null, finish_reason }]);
    if (echo) yield piece(echo);
    for await (const event of events) {
      if (event.type === 'text') yield piece(event.delta);
      if (event.type !== 'finish') continue;
      usages.push(event.usage);
      yield piece('', reasonOf(event));
    }
    index++;
  }
  if (includeUsage) yield chunk([], toUsage(usages.reduce(sum)));
}

const sum = (a: ModelUsage, b: ModelUsage): ModelUsage => ({
  promptTokens: a.promptTokens + b.promptTokens,
  completionTokens: a.completionTokens + b.completionTokens,
  cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
  cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
  reasoningTokens: a.reasoningTokens + b.reasoningTokens,
  costUsd: a.costUsd + b.costUsd,
});

/** The same as one object. */
export async function collectTexts(chunks: AsyncIterable<OpenAICompletion>): Promise<OpenAICompletion> {
  let whole: OpenAICompletion | null = null;
  for await (const chunk of chunks) {
    whole ??= { ...chunk, choices: [] };
    whole.usage = chunk.usage ?? whole.usage;
    for (const { index, text, finish_reason } of chunk.choices) {
      const choice = whole.choices[index];
      if (!choice) whole.choices[index] = { text, index, logprobs: null, finish_reason };
      else Object.assign(choice, { text: choice.text + text, finish_reason });
    }
  }
  if (!whole) throw new Error('an answer had no chunks');
  return whole;
}
