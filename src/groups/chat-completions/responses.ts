// Carries out OpenAI's Responses: made while the client waits, streamed, or in the background; kept, read and cancelled.
import type { ModelEvent } from '../../../runtime/model.ts';
import type { Caller } from '../../contract/caller.ts';
import { openAiError } from '../../contract/openai-failure.ts';
import type { StreamFrame, StreamReply } from '../../contract/replies.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault, toFault } from '../../kernel/fault.ts';
import { createBackground } from './background.ts';
import type { Prompt } from './chat-prompt.ts';
import type { ResponseBody } from './contract.ts';
import type { OpenAIResponse } from './dto.ts';
import { stream } from './frames.ts';
import { inputItems } from './input-items.ts';
import type { Keeping, KeptResponses } from './kept-responses.ts';
import { opened } from './opening.ts';
import { wrong } from './parts.ts';
import { type ResponseEvent, type ResponseWriter, responseWriter } from './response.ts';
import { readResponse, referencesIn } from './response-prompt.ts';

/** Asks the model that the caller names; the answer ends with the signal. */
export type Ask = (
  caller: Caller,
  name: string,
  prompt: Prompt,
  signal: AbortSignal,
) => Promise<AsyncIterable<ModelEvent>>;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: small functions over the same collections, which call each other.
export function createResponses({ ask, kept, clock }: { ask: Ask; kept: KeptResponses; clock: Clock }) {
  const background = createBackground({ kept, clock });

  const respond = async (
    caller: Caller,
    body: ResponseBody,
    signal: AbortSignal,
  ): Promise<OpenAIResponse | StreamReply> => {
    const previousId = body.previous_response_id ?? null;
    const [earlier, referenced] = await Promise.all([
      previousId === null ? [] : kept.conversation(caller, previousId),
      kept.items(caller, referencesIn(body.input)),
    ]);
    const { prompt, added } = readResponse(body, earlier, referenced);
    const writer = responseWriter(body, clock.now);
    const input = inputItems(body.input);
    const keeping = (): Keeping => ({
      response: writer.response,
      input,
      previousId,
      messages: [...added, writer.message()],
      lastSequence: writer.lastSequence(),
    });
    if (body.background) {
      if (body.store === false)
        throw wrong('background', 'needs the response to be kept.', 'Leave store out, or background.');
      const abort = new AbortController();
      const events = await ask(caller, body.model, prompt, abort.signal);
      await background.start(caller, writer, { abort, events, keeping });
      return body.stream ? followed(writer.response.id, -1, signal) : { ...writer.response };
    }
    const events = await ask(caller, body.model, prompt, signal);
    const keep = async () => {
      if (writer.response.store) await kept.keep(caller, keeping());
    };
    if (body.stream) return stream(responseFrames(await opened(events, clock), writer, keep, signal));
    for await (const event of events) writer.write(event);
    await keep();
    return writer.response;
  };

  const followed = (responseId: string, after: number, signal: AbortSignal): StreamReply => {
    const events = background.follow(responseId, after, signal);
    if (!events) throw new Error('a response that was just begun is not there');
    return stream(eventFrames(events));
  };

  return {
    respond,
    async get(
      caller: Caller,
      responseId: string,
      { streams, after, signal }: { streams: boolean; after: number; signal: AbortSignal },
    ): Promise<OpenAIResponse | StreamReply> {
      const { response, lastSequence } = await kept.get(caller, responseId);
      if (!streams) return background.now(responseId) ?? response;
      const events = background.follow(responseId, after, signal);
      if (events) return stream(eventFrames(events));
      if (response.status === 'in_progress')
        throw new Fault('INVALID_TRANSITION', 'This response is being made on another node.', {
          hint: 'Read it without stream until its status is no longer in_progress.',
        });
      // The events are no longer kept; the final event holds the whole response.
      const last = { type: `response.${response.status}`, sequence_number: lastSequence, response };
      return stream(eventFrames(after < lastSequence ? [last] : []));
    },
    async cancel(caller: Caller, responseId: string, signal: AbortSignal): Promise<OpenAIResponse> {
      const { response } = await kept.get(caller, responseId);
      if (!response.background)
        throw new Fault('BAD_REQUEST', 'Only responses that are made in the background can be cancelled.', {
          hint: 'Close the connection of this one.',
        });
      if (background.now(responseId)) {
        await background.cancel(responseId, signal);
        return (await kept.get(caller, responseId)).response;
      }
      if (response.status !== 'in_progress') return response;
      const cancelled = { ...response, status: 'cancelled' };
      await kept.cancel(caller, cancelled);
      return cancelled;
    },
  };
}

const frameOf = (event: { type: string }): StreamFrame => ({ event: event.type, data: JSON.stringify(event) });

async function* eventFrames(events: AsyncIterable<ResponseEvent> | ResponseEvent[]): AsyncGenerator<StreamFrame> {
  for await (const event of events) yield frameOf(event);
}

async function* responseFrames(
  events: AsyncIterable<ModelEvent>,
  writer: ResponseWriter,
  keep: () => Promise<void>,
  signal: AbortSignal,
): AsyncGenerator<StreamFrame> {
  for (const event of writer.begin()) yield frameOf(event);
  try {
    for await (const event of events) {
      const written = writer.write(event);
      // The response is stored before its end is sent, so that a client can go on from it at once.
      if (event.type === 'finish') await keep();
      for (const one of written) yield frameOf(one);
    }
  } catch (error) {
    signal.throwIfAborted();
    for (const event of writer.fail(openAiError(toFault(error)).error)) yield frameOf(event);
    throw error;
  }
}
