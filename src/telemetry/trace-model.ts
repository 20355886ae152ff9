// A Model that records each call as a span and as metrics; the calls themselves are another Model's.
import type { Model, ModelEvent, ModelRequest } from '../../runtime/model.ts';
import { genai } from './genai.ts';
import type { Metrics } from './metrics.ts';
import { beginSpan } from './tracing.ts';

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
    const [provider = 'unknown', name = request.modelId] = request.modelId.split(/:(.*)/s);
    const started = performance.now();
    const span = beginSpan(
      `chat ${name}`,
      {
        [genai.operation]: 'chat',
        [genai.provider]: provider,
        [genai.requestModel]: name,
        ...conversationOf(request),
        ...(request.identityId === undefined ? {} : { [genai.agentId]: String(request.identityId) }),
      },
      'client',
    );
    let outcome = 'abandoned';
    let failure: unknown;
    try {
      for await (const event of model.stream(request)) {
        if (event.type === 'finish') {
          outcome = 'succeeded';
          tokens({ model: event.modelId, direction: 'prompt' }, event.usage.promptTokens);
          tokens({ model: event.modelId, direction: 'completion' }, event.usage.completionTokens);
          cost({ model: event.modelId }, event.usage.costUsd);
          span.set({
            [genai.responseModel]: event.modelId,
            [genai.inputTokens]: event.usage.promptTokens,
            [genai.outputTokens]: event.usage.completionTokens,
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
      calls({ model: request.modelId, outcome });
      seconds({ model: request.modelId }, (performance.now() - started) / 1000);
      span.end(failure);
    }
  }
  return { ...model, stream };
}

function conversationOf({ runId, chatSessionId }: ModelRequest): Record<string, string> {
  if (runId !== undefined) return { [genai.conversation]: `run:${runId}` };
  return chatSessionId === undefined ? {} : { [genai.conversation]: `chat:${chatSessionId}` };
}
