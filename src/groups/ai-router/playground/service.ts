// Runs prompts by hand: whole, streamed, or on several models at once. A failure is part of the answer.
import type { Model, ModelEvent, ModelRequest, ModelToolCall } from '../../../../runtime/model.ts';
import { implement } from '../../../contract/operation.ts';
import type { StreamFrame } from '../../../contract/replies.ts';
import { type Fault, toFault } from '../../../kernel/fault.ts';
import type { ModelRouter } from '../../../ports/model-router.ts';
import { spenderOf } from '../../spender.ts';
import type { AIPlaygroundResultDto } from '../dto.ts';
import { aiPlayground } from './contract.ts';
import { modelOf, toRequest } from './prompt.ts';

export interface PlaygroundDeps {
  model: Model;
  router: ModelRouter;
}

export const aiPlaygroundService = implement(aiPlayground, ({ model, router }: PlaygroundDeps) => {
  const run = async (request: ModelRequest): Promise<AIPlaygroundResultDto> => {
    const heard = listen();
    try {
      for await (const event of model.stream(request)) heard.take(event);
    } catch (error) {
      request.signal.throwIfAborted();
      heard.fault = toFault(error);
    }
    return toResult(router, request, heard);
  };

  return {
    chat: ({ caller, body, request: { signal } }) => run(toRequest(body, caller, signal)),
    stream: ({ caller, body, request: { signal } }) => ({
      kind: 'frames' as const,
      frames: frames(model, router, toRequest(body, caller, signal)),
    }),
    compare: ({ caller, body: { modelIds, ...prompt }, request: { signal } }) =>
      Promise.all(modelIds.map((modelId) => run(toRequest({ ...prompt, modelId }, caller, signal)))),
    embeddings: async ({ caller, body, request: { signal } }) => {
      const { vectors, ...embedded } = await router.embed({
        ...spenderOf(caller),
        modelId: modelOf(body),
        inputs: body.inputs,
        signal,
      });
      return { ...embedded, dimensions: vectors[0]?.length ?? 0, similarity: similarities(vectors) };
    },
  };
});

interface Heard {
  content: string;
  reasoning: string;
  calls: ModelToolCall[];
  fault: Fault | null;
  take(event: ModelEvent): void;
}

const listen = (): Heard => ({
  content: '',
  reasoning: '',
  calls: [],
  fault: null,
  take(event) {
    if (event.type === 'text') this.content += event.delta;
    else if (event.type === 'reasoning') this.reasoning += event.delta;
    else if (event.type === 'tool-call') this.calls.push(event.call);
  },
});

async function toResult(router: ModelRouter, request: ModelRequest, heard: Heard): Promise<AIPlaygroundResultDto> {
  const call = await router.callOf(request);
  return {
    callId: call._id,
    modelId: call.modelId,
    providerName: call.providerName,
    routeId: call.routeId,
    content: heard.content,
    reasoningContent: heard.reasoning || null,
    toolCalls: heard.calls.length > 0 ? heard.calls : null,
    finishReason: call.finishReason,
    promptTokens: call.promptTokens,
    completionTokens: call.completionTokens,
    costUsd: call.costUsd,
    latencyMs: call.latencyMs,
    timeToFirstTokenMs: call.timeToFirstTokenMs,
    error: heard.fault?.message ?? null,
    errorCode: heard.fault?.code ?? null,
  };
}

/** The events of a chat stream, with the whole result at the end. */
async function* frames(model: Model, router: ModelRouter, request: ModelRequest): AsyncGenerator<StreamFrame> {
  const heard = listen();
  let index = 0;
  const frame = (event: string, data: object): StreamFrame => ({ id: `0.${index}`, event, data: JSON.stringify(data) });
  const step = (
    type: string,
    more: { delta?: string; toolCall?: object; error?: string; errorCode?: string },
  ): StreamFrame => {
    index++;
    const absent = { delta: null, toolCall: null, message: null, usage: null, error: null, errorCode: null };
    return frame(type, { type, sessionId: 0, messageId: 0, index, ...absent, ...more });
  };
  try {
    for await (const event of model.stream(request)) {
      heard.take(event);
      const shown = stepOf(event);
      if (shown) yield step(...shown);
    }
  } catch (error) {
    request.signal.throwIfAborted();
    heard.fault = toFault(error);
    yield step('Error', { error: heard.fault.message, errorCode: heard.fault.code });
    return;
  }
  index++;
  yield frame('Completed', await toResult(router, request, heard));
}

function stepOf(event: ModelEvent): [string, { delta?: string; toolCall?: object }] | null {
  switch (event.type) {
    case 'start':
      return ['Started', {}];
    case 'text':
      return ['ContentDelta', { delta: event.delta }];
    case 'reasoning':
      return ['ReasoningDelta', { delta: event.delta }];
    case 'tool-call':
      return ['ToolCall', { toolCall: { ...event.call, resultJson: null, status: 'Pending', durationMs: null } }];
    default:
      return null;
  }
}

/** Cosine of each pair of vectors. */
function similarities(vectors: number[][]) {
  const lengths = vectors.map((vector) => Math.hypot(...vector));
  return vectors.flatMap((a, indexA) =>
    vectors.slice(indexA + 1).map((b, offset) => {
      const indexB = indexA + 1 + offset;
      const dot = a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
      const length = (lengths[indexA] ?? 0) * (lengths[indexB] ?? 0);
      return { indexA, indexB, cosine: length === 0 ? 0 : dot / length };
    }),
  );
}
