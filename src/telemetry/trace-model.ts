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
    const name = request.modelId.slice(request.modelId.indexOf(':') + 1);
    const started = performance.now();
    const span = beginSpan(
      `chat ${name}`,
      {
        [genai.operation]: 'chat',
        [genai.provider]: providerOf(request.modelId),
        [genai.requestModel]: name,
        ...conversationOf(request),
        ...(request.identityId === undefined ? {} : { [genai.agentId]: String(request.identityId) }),
      },
      'client',
    );
    let outcome = 'abandoned';
    // A route, or nobody's choice, is no model: what answers is counted, as soon as it is known.
    let modelId = request.modelId;
    let failure: unknown;
    try {
      for await (const event of model.stream(request)) {
        if (event.type === 'start') modelId = event.modelId;
        else if (event.type === 'finish') {
          modelId = event.modelId;
          outcome = 'succeeded';
          tokens({ model: modelId, direction: 'prompt' }, event.usage.promptTokens);
          tokens({ model: modelId, direction: 'completion' }, event.usage.completionTokens);
          cost({ model: modelId }, event.usage.costUsd);
          span.set({
            [genai.provider]: providerOf(modelId),
            [genai.responseModel]: modelId,
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
      calls({ model: modelId, outcome });
      seconds({ model: modelId }, (performance.now() - started) / 1000);
      span.end(failure);
    }
  }
  return { ...model, stream };
}

const providerOf = (modelId: string): string => modelId.split(':', 1)[0] || 'unknown';

function conversationOf({ runId, chatSessionId }: ModelRequest): Record<string, string> {
  if (runId !== undefined) return { [genai.conversation]: `run:${runId}` };
  return chatSessionId === undefined ? {} : { [genai.conversation]: `chat:${chatSessionId}` };
}
