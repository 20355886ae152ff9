// A Model that records each call as a span and as metrics; the calls themselves are another Model's.
import type { Model, ModelEvent, ModelRequest, ModelUsage } from '../../runtime/model.ts';
import type { ModelRouter } from '../ports/model-router.ts';
import { genai } from './genai.ts';
import type { Metrics } from './metrics.ts';
import { type ActiveSpan, beginSpan } from './tracing.ts';

/** Wraps `model`; the wrapper adds no buffering and passes every event and error on. */
export function traceModel<M extends Model>(model: M, metrics: Metrics): M {
  const calls = metrics.counter('model_calls_total', 'Model calls by outcome.', ['model', 'outcome']);
  const tokens = metrics.counter('model_tokens_total', 'Tokens by model and direction.', ['model', 'direction']);
  const cost = metrics.counter('model_cost_usd_total', 'Cost of model calls in US dollars.', ['model']);
  const seconds = metrics.histogram(
    'model_call_seconds',
    'Duration of model calls.',
    ['model'],
    [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120],
  );

  async function* stream(request: ModelRequest): AsyncIterable<ModelEvent> {
    const name = nameOf(request.modelId);
    const started = performance.now();
    const span = beginSpan(
      `chat ${name}`,
      {
        [genai.operation]: 'chat',
        [genai.provider]: providerOf(request.modelId),
        [genai.requestModel]: name,
        [genai.requestStream]: true,
        ...conversationOf(request),
        ...(request.identityId === undefined ? {} : { [genai.agentId]: String(request.identityId) }),
      },
      'client',
    );
    let outcome = 'abandoned';
    // Routes and `auto` are no models: the model that answers is counted as soon as it is known.
    let modelId = request.modelId;
    let failure: unknown;
    let isFirst = true;
    const headers = span.headers();
    // The same request object, not a copy: the gateway keys calls by it.
    if (headers.traceparent) request.traceHeaders = headers;
    try {
      for await (const event of inside(span, model.stream(request))) {
        if (isFirst && isChunk(event)) {
          isFirst = false;
          span.set({ [genai.timeToFirstChunk]: (performance.now() - started) / 1000 });
        }
        if (event.type === 'start') {
          modelId = event.modelId;
          if (event.address !== undefined) span.set({ 'server.address': event.address });
        } else if (event.type === 'finish') {
          modelId = event.modelId;
          outcome = 'succeeded';
          tokens({ model: modelId, direction: 'prompt' }, event.usage.promptTokens);
          tokens({ model: modelId, direction: 'completion' }, event.usage.completionTokens);
          cost({ model: modelId }, event.usage.costUsd);
          span.set({
            [genai.provider]: providerOf(modelId),
            [genai.responseModel]: nameOf(modelId),
            ...tokenCounts(event.usage),
            [genai.finishReasons]: [event.reason],
          });
        }
        yield event;
      }
    } catch (error) {
      outcome = request.signal.aborted ? 'aborted' : 'failed';
      failure = error;
      throw error;
    } finally {
      calls({ model: modelId, outcome });
      seconds({ model: modelId }, (performance.now() - started) / 1000);
      span.end(failure);
    }
  }
  return { ...model, stream };
}

/** A router whose embeddings are spans. */
export function traceEmbeddings<R extends Pick<ModelRouter, 'embed'>>(router: R): R {
  const embed: R['embed'] = async (request) => {
    const { modelId, dimensions, identityId } = request;
    const span = beginSpan(
      `embeddings ${nameOf(modelId)}`,
      {
        [genai.operation]: 'embeddings',
        [genai.provider]: providerOf(modelId),
        [genai.requestModel]: nameOf(modelId),
        ...(dimensions === undefined ? {} : { [genai.embeddingDimensions]: dimensions }),
        ...(identityId === undefined ? {} : { [genai.agentId]: String(identityId) }),
      },
      'client',
    );
    let failure: unknown;
    try {
      const made = await span.within(() => router.embed(request));
      span.set({
        [genai.provider]: providerOf(made.modelId),
        [genai.responseModel]: nameOf(made.modelId),
        [genai.inputTokens]: made.promptTokens,
      });
      return made;
    } catch (error) {
      failure = error;
      throw error;
    } finally {
      span.end(failure);
    }
  };
  return { ...router, embed };
}

/** Events that carry a part of the provider's answer. */
const isChunk = ({ type }: ModelEvent) => type !== 'start' && type !== 'finish';

/** The same events, each made within the span. */
async function* inside(span: ActiveSpan, events: AsyncIterable<ModelEvent>): AsyncGenerator<ModelEvent> {
  const iterator = events[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await span.within(() => iterator.next());
      if (next.done) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

const tokenCounts = (usage: ModelUsage) => ({
  [genai.inputTokens]: usage.promptTokens,
  [genai.outputTokens]: usage.completionTokens,
  [genai.cacheReadTokens]: usage.cacheReadTokens,
  [genai.cacheWriteTokens]: usage.cacheWriteTokens,
  [genai.reasoningTokens]: usage.reasoningTokens,
});

/** A model as its provider calls it. */
const nameOf = (modelId: string): string => modelId.slice(modelId.indexOf(':') + 1);

const providerOf = (modelId: string): string => modelId.split(':', 1)[0] || 'unknown';

function conversationOf({ runId, chatSessionId }: ModelRequest): Record<string, string> {
  if (runId !== undefined) return { [genai.conversation]: `run:${runId}` };
  return chatSessionId === undefined ? {} : { [genai.conversation]: `chat:${chatSessionId}` };
}
