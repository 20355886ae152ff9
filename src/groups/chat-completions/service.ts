// Carries out OpenAI's interface: each call goes through the gateway as every other call does, and ends when its client leaves.
import type { Model, ModelEvent, ModelRequest, ModelUsage } from '../../../runtime/model.ts';
import type { Caller } from '../../contract/caller.ts';
import { openAiError } from '../../contract/openai-failure.ts';
import { implement } from '../../contract/operation.ts';
import type { StreamFrame, StreamReply } from '../../contract/replies.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault, toFault } from '../../kernel/fault.ts';
import type { ModelRouter } from '../../ports/model-router.ts';
import { spenderOf } from '../spender.ts';
import { type Prompt, readChat } from './chat-prompt.ts';
import { chunkWriter, collectCompletion } from './completion.ts';
import { type ChatCompletionBody, chatCompletionsCompat, type ResponseBody } from './contract.ts';
import { readTexts, toEmbeddingList } from './embeddings.ts';
import type { KeptResponses } from './kept-responses.ts';
import { addressed, createNames, type NameDeps } from './names.ts';
import { opened } from './opening.ts';
import { responseWriter } from './response.ts';
import { readResponse } from './response-prompt.ts';
import { stopAt } from './stop.ts';
import { createToolStates } from './tool-states.ts';

export interface ChatCompletionsDeps extends NameDeps {
  model: Model;
  router: ModelRouter;
  kept: KeptResponses;
  clock: Clock;
}

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
    return stream(chatFrames(await opened(events, clock), write, signal));
  };

  const respond = async (caller: Caller, body: ResponseBody, signal: AbortSignal) => {
    const previousId = body.previous_response_id ?? null;
    const earlier = previousId === null ? [] : await kept.conversation(caller, previousId);
    const { prompt, added } = readResponse(body, earlier);
    const events = await ask(caller, body.model, prompt, signal);
    const writer = responseWriter(body, clock.now);
    const keep = async () => {
      if (!writer.response.store) return;
      const messages = [...added, writer.message()];
      await kept.keep(caller, { responseId: writer.response.id, previousId, messages });
    };
    if (body.stream) return stream(responseFrames(await opened(events, clock), writer, keep, signal));
    for await (const event of events) writer.write(event);
    await keep();
    return writer.response;
  };

  return {
    models: async ({ caller }) => ({ object: 'list', data: await names.list(caller) }),
    model: ({ caller, params }) => names.get(caller, params.name),
    chat: ({ caller, body, request }) => chat(caller, body, request.signal),
    respond: ({ caller, body, request }) => respond(caller, body, request.signal),
    embeddings: async ({ caller, body, request: { signal } }) => {
      const inputs = readTexts(body.input);
      const { modelId } = await names.find(caller, body.model);
      const dimensions = body.dimensions == null ? {} : { dimensions: body.dimensions };
      const embedded = await router.embed({ ...spenderOf(caller), modelId, inputs, ...dimensions, signal });
      return toEmbeddingList(embedded, body.encoding_format === 'base64');
    },
  };
});

const stream = (frames: AsyncIterable<StreamFrame>): StreamReply => ({ kind: 'frames', retries: false, frames });

async function* chatFrames(
  events: AsyncIterable<ModelEvent>,
  write: (event: ModelEvent) => string[],
  signal: AbortSignal,
): AsyncGenerator<StreamFrame> {
  try {
    for await (const event of events) for (const data of write(event)) yield { data };
    yield { data: '[DONE]' };
  } catch (error) {
    signal.throwIfAborted();
    // The status is sent: all that is left is to say it, and to end without the mark of a whole answer.
    yield { data: JSON.stringify({ error: openAiError(toFault(error)).error }) };
    throw error;
  }
}

async function* responseFrames(
  events: AsyncIterable<ModelEvent>,
  writer: ReturnType<typeof responseWriter>,
  keep: () => Promise<void>,
  signal: AbortSignal,
): AsyncGenerator<StreamFrame> {
  const frame = (event: { type: string }): StreamFrame => ({ event: event.type, data: JSON.stringify(event) });
  for (const event of writer.begin()) yield frame(event);
  try {
    for await (const event of events) {
      const written = writer.write(event);
      // Whoever has read the end may go on from it at once.
      if (event.type === 'finish') await keep();
      for (const one of written) yield frame(one);
    }
  } catch (error) {
    signal.throwIfAborted();
    for (const event of writer.fail(openAiError(toFault(error)).error)) yield frame(event);
    throw error;
  }
}

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
