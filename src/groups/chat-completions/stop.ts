// Ends an answer before a stop text, whatever the provider made of it.
import type { ModelEvent, ModelUsage } from '../../../runtime/model.ts';

/**
 * Passes events on up to the first stop text, which is not passed on; text that may be the beginning of one is held
 * back until it is clear. An answer that is cut ends with a `finish` whose usage comes from `usageOf`, since the
 * provider's call is cancelled and says no more.
 */
export async function* stopAt(
  events: AsyncIterable<ModelEvent>,
  stops: readonly string[],
  usageOf: () => Promise<ModelUsage>,
): AsyncGenerator<ModelEvent> {
  let held = '';
  let modelId = '';
  let cut = false;
  for await (const event of events) {
    if (event.type === 'start') modelId = event.modelId;
    if (event.type === 'text' && !event.refusal) {
      held += event.delta;
      const at = firstOf(held, stops);
      const keep = at ?? held.length - overlap(held, stops);
      if (keep > 0) yield { type: 'text', delta: held.slice(0, keep) };
      held = held.slice(keep);
      cut = at !== null;
      if (cut) break;
      continue;
    }
    if (held && event.type !== 'retry') {
      yield { type: 'text', delta: held };
      held = '';
    }
    yield event;
  }
  if (cut) yield { type: 'finish', reason: 'stop', usage: await usageOf(), modelId };
}

/** Where the stop text begins that is complete first, so that it doesn't matter in which pieces the text comes. */
function firstOf(text: string, stops: readonly string[]): number | null {
  const found = stops.map((stop) => ({ at: text.indexOf(stop), length: stop.length })).filter(({ at }) => at >= 0);
  found.sort((a, b) => a.at + a.length - (b.at + b.length) || a.at - b.at);
  return found[0]?.at ?? null;
}

/** Length of the longest end of the text that begins a stop text. */
function overlap(text: string, stops: readonly string[]): number {
  let longest = 0;
  for (const stop of stops)
    for (let length = Math.min(stop.length - 1, text.length); length > longest; length--)
      if (stop.startsWith(text.slice(text.length - length))) longest = length;
  return longest;
}
