// Carries out OpenAI's interface: each call goes through the gateway as every other call does, and ends when its client leaves.
import type { Model, ModelEvent, ModelRequest, ModelUsage } from '../../../runtime/model.ts';
import type { Caller } from '../../contract/caller.ts';
import { implement } from '../../contract/operation.ts';
import type { StreamFrame } from '../../contract/replies.ts';
import { Fault } from '../../kernel/fault.ts';
import type { ModelRouter } from '../../ports/model-router.ts';
import { spenderOf } from '../spender.ts';
import { type Prompt, readChat } from './chat-prompt.ts';
import { chunkWriter, collectCompletion } from './completion.ts';
import { type ChatCompletionBody, chatCompletionsCompat } from './contract.ts';
import { readTexts, toEmbeddingList } from './embeddings.ts';
import { anthropicEnd, framesOf, openAiEnd, stream } from './frames.ts';
import { pageOf } from './input-items.ts';
import type { KeptResponses } from './kept-responses.ts';
import { type MessageEvent, messageWriter } from './messages-answer.ts';
import { readMessages } from './messages-prompt.ts';
import { addressed, createNames, type NameDeps } from './names.ts';
import { opened } from './opening.ts';
import { wrong } from './parts.ts';
import { createResponses } from './responses.ts';
import { stopAt } from './stop.ts';
import { collectTexts, completionChunks, readPrompts } from './text-completion.ts';
import { countPrompt } from './tokens.ts';
import { createToolStates } from './tool-states.ts';

export interface ChatCompletionsDeps extends NameDeps {
  model: Model;
  router: ModelRouter;
  kept: KeptResponses;
}

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: a handler for each operation of the group, and what they share.
export const chatCompletionsCompatService = implement(chatCompletionsCompat, (deps: ChatCompletionsDeps) => {
  const { model, router, kept, clock } = deps;
  const names = createNames(deps);
  const states = createToolStates();

  /** The answer of the model that the caller names. Fails before the first word as the caller is to see it. */
  const ask = async (caller: Caller, name: string, prompt: Prompt, signal: AbortSignal) => {
    const { tenantId } = caller;
    const { stop, messages, asWritten, ...rest } = addressed(prompt, await names.find(caller, name));
    const request: ModelRequest = {
      ...spenderOf(caller),
      ...rest,
      ...states.recalled(tenantId, { messages, asWritten }),
      ...(stop && { stop }),
      purpose: 'Compat',
      signal,
    };
    const events = request.tools ? states.noting(tenantId, model.stream(request)) : model.stream(request);
    const ending = stop ? stopAt(events, stop, () => usageOf(router, request)) : events;
    return seenByCaller(ending, router, request);
  };

  const chat = async (caller: Caller, body: ChatCompletionBody, signal: AbortSignal) => {
    const events = await ask(caller, body.model, readChat(body), signal);
    const created = Math.floor(clock.now() / 1000);
    const asFunction = body.functions != null && body.tools == null;
    if (!body.stream) return collectCompletion(events, created, asFunction);
    const write = chunkWriter(created, { includeUsage: body.stream_options?.include_usage === true, asFunction });
    const frame = (data: string): StreamFrame => ({ data });
    return stream(framesOf(await opened(events, clock), (event) => write(event).map(frame), openAiEnd, signal));
  };

  const responses = createResponses({ ask, kept, clock });

  return {
    models: async ({ caller }) => ({ object: 'list', data: await names.list(caller) }),
    model: ({ caller, params }) => names.get(caller, params.model),
    chat: ({ caller, body, request }) => chat(caller, body, request.signal),
    respond: ({ caller, body, request }) => responses.respond(caller, body, request.signal),
    response: ({ caller, params, query, request }) => {
      // openai-go puts `stream` into the body of this GET; a client that names an event asks for those after it.
      const { starting_after: after = -1, stream: streams = after >= 0 } = query;
      return responses.get(caller, params.responseId, { streams, after, signal: request.signal });
    },
    forget: async ({ caller, params: { responseId: id } }) => {
      await kept.remove(caller, id);
      return { id, object: 'response', deleted: true };
    },
    cancel: ({ caller, params, request }) => responses.cancel(caller, params.responseId, request.signal),
    inputItems: async ({ caller, params, query }) => {
      const { limit, order, after } = query;
      const { input } = await kept.get(caller, params.responseId);
      return pageOf(input, { ...(limit && { limit }), ...(order && { order }), ...(after && { after }) });
    },
    complete: async ({ caller, body, request: { signal } }) => {
      const prompts = await readPrompts(body);
      const created = Math.floor(clock.now() / 1000);
      const answers = async function* () {
        for (const { text, prompt } of prompts)
          yield { echo: body.echo ? text : '', events: await ask(caller, body.model, prompt, signal) };
      };
      const { modelId } = await names.find(caller, body.model);
      const includeUsage = !body.stream || body.stream_options?.include_usage === true;
      const chunks = completionChunks(answers(), { created, model: modelId, includeUsage });
      if (!body.stream) return collectTexts(chunks);
      return stream(
        framesOf(await opened(chunks, clock), (chunk) => [{ data: JSON.stringify(chunk) }], openAiEnd, signal),
      );
    },
    messages: async ({ caller, body, request }) => {
      const { signal } = request;
      const beta = request.header('anthropic-beta');
      const prompt = readMessages(body, beta === undefined ? {} : { 'anthropic-beta': beta });
      if (prompt.maxOutputTokens === undefined)
        throw wrong('max_tokens', 'is missing.', 'Say how many tokens the answer may have.');
      const events = await ask(caller, body.model, prompt, signal);
      const writer = messageWriter(body.model);
      const named = (event: MessageEvent): StreamFrame => ({ event: event.type, data: JSON.stringify(event) });
      if (body.stream)
        return stream(
          framesOf(await opened(events, clock), (event) => writer.write(event).map(named), anthropicEnd, signal),
        );
      for await (const event of events) writer.write(event);
      return writer.message;
    },
    countTokens: async ({ caller, body }) => {
      const asked = addressed(readMessages(body, {}), await names.find(caller, body.model));
      return { input_tokens: await countPrompt(asked) };
    },
    embeddings: async ({ caller, body, request: { signal } }) => {
      const inputs = await readTexts(body.input);
      const { modelId } = await names.find(caller, body.model);
      const dimensions = body.dimensions == null ? {} : { dimensions: body.dimensions };
      const { model: _, input: __, encoding_format: ___, dimensions: ____, ...asWritten } = body;
      const embedded = await router.embed({ ...spenderOf(caller), modelId, inputs, ...dimensions, asWritten, signal });
      return toEmbeddingList(embedded, body.encoding_format === 'base64');
    },
  };
});

/** What a call took so far, as the ledger has it: for answers that end here before they end at the provider. */
async function usageOf(router: ModelRouter, request: ModelRequest): Promise<ModelUsage> {
  const { promptTokens, completionTokens, cacheReadTokens, costUsd } = await router.callOf(request);
  return { promptTokens, completionTokens, cacheReadTokens, cacheWriteTokens: 0, reasoningTokens: 0, costUsd };
}

/** A request that the provider finds wrong is the caller's to correct: no gateway has failed, and no repeat will help. */
async function* seenByCaller(
  events: AsyncIterable<ModelEvent>,
  router: ModelRouter,
  request: ModelRequest,
): AsyncGenerator<ModelEvent> {
  try {
    yield* events;
  } catch (error) {
    if (!(error instanceof Fault) || error.code !== 'PROVIDER_ERROR') throw error;
    const call = await router.callOf(request).catch(() => null);
    const status = call?.attempts.at(-1)?.httpStatus;
    const options = { cause: error, ...(error.hint && { hint: error.hint }) };
    if (status === 404) throw new Fault('NOT_FOUND', error.message, { ...options, field: 'model' });
    if (status === 400 || status === 422) throw new Fault('BAD_REQUEST', error.message, options);
    throw error;
  }
}
