// One try of one target: opens the call, watches its pace and turns the SDK's parts into model events.
import type {
  LanguageModelV3FinishReason,
  LanguageModelV3StreamPart,
  LanguageModelV3Usage,
  SharedV3ProviderMetadata,
} from '@ai-sdk/provider';
import type { FinishReason, ModelEvent, ModelRequest, ModelToolCall, ModelUsage } from '../../../runtime/model.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { costUsd } from '../pricing/pricing.ts';
import { estimatePrompt, estimateTokens } from '../pricing/token-estimates.ts';
import { CallTimeout } from '../providers/failure.ts';
import { collectState } from '../providers/prompt.ts';
import type { OpenCall, ProviderKind, Target } from '../providers/target.ts';
import { soundUsage } from '../providers/usage.ts';
import { createWatchdog } from './watchdog.ts';

export interface AttemptOptions {
  open: OpenCall;
  clock: Clock;
  firstTokenTimeoutMs: number;
  idleTimeoutMs: number;
  timeoutMs?: number | undefined;
}

/** What is known of a try while it runs and after it ended, however it ended. */
export interface AttemptState {
  /** Time by the steady clock of the first text, reasoning or tool argument; null before. */
  firstTokenAt: number | null;
  usage: ModelUsage | null;
  finishReason: FinishReason | null;
  /** Texts received so far, to estimate what a cut answer cost. */
  received: string[];
}

/**
 * Characters of one answer: some million tokens, eight times the longest answer of a model today. A server that keeps to
 * no limit would fill memory, the store and everybody's stream.
 */
const mostCharacters = 4_000_000;

export const newAttemptState = (): AttemptState => ({
  firstTokenAt: null,
  usage: null,
  finishReason: null,
  received: [],
});

/**
 * Runs one try. Yields `start` with the first token, deltas as they come, whole tool calls only once the provider has
 * finished properly (half of a call never leaves here), and `finish`. Throws what the provider threw; the signal's
 * reason when aborted; CallTimeout when it was silent for too long, or not done in all the time that it was given.
 */
export async function* runAttempt(
  target: Target,
  request: ModelRequest,
  state: AttemptState,
  options: AttemptOptions,
): AsyncGenerator<ModelEvent> {
  const { clock } = options;
  const connection = new AbortController();
  const abort = () => connection.abort(request.signal.reason);
  request.signal.addEventListener('abort', abort, { once: true });
  const watchdog = createWatchdog(clock, (ms) => connection.abort(new CallTimeout('silent', ms)));
  const cancelDeadline = options.timeoutMs
    ? clock.after(options.timeoutMs, () => connection.abort(new CallTimeout('not done', options.timeoutMs ?? 0)))
    : null;
  try {
    request.signal.throwIfAborted();
    const waitNext = () =>
      watchdog.wait(state.firstTokenAt === null ? options.firstTokenTimeoutMs : options.idleTimeoutMs);
    waitNext();
    const parts = await options.open(target, request, connection.signal);
    const translate = createTranslator(target, request, state, () => clock.steady());
    for await (const part of parts) {
      connection.signal.throwIfAborted();
      const events = translate(part);
      if (events.length > 0) {
        watchdog.rest();
        // `yield*` over an array costs one more promise for each event.
        for (const event of events) yield event;
        waitNext();
      } else if (state.firstTokenAt !== null) waitNext();
    }
    if (state.finishReason === null) throw new Error('the stream ended without an answer');
  } catch (error) {
    // An aborted fetch throws errors of many shapes; the reason is what we said.
    throw connection.signal.aborted ? connection.signal.reason : error;
  } finally {
    watchdog.stop();
    cancelDeadline?.();
    request.signal.removeEventListener('abort', abort);
    // Closes the provider's connection when the consumer leaves early; after an answer there is nothing to close.
    if (state.finishReason === null) connection.abort();
  }
}

/** One try of one target, whatever it is that is tried. */
export type Attempt = typeof runAttempt;

function createTranslator(target: Target, request: ModelRequest, state: AttemptState, now: () => number) {
  const collected = collectState(target.provider.kind);
  const toolNames = new Map<string, string>();
  const calls: ModelToolCall[] = [];

  let characters = 0;

  const token = (event: ModelEvent, text: string): ModelEvent[] => {
    characters += text.length;
    if (characters > mostCharacters) throw endless(target);
    state.received.push(text);
    if (state.firstTokenAt !== null) return [event];
    state.firstTokenAt = now();
    return [startOf(target), event];
  };

  const finish = (part: Extract<LanguageModelV3StreamPart, { type: 'finish' }>): ModelEvent[] => {
    if (part.finishReason.unified === 'error') throw new Error('the answer ended with an error');
    const reason = finishReason(part.finishReason, calls.length > 0);
    const usage = toUsage(part.usage, target, request, state.received.join(''));
    state.finishReason = reason;
    state.usage = usage;
    const providerState = collected.state();
    const opening: ModelEvent[] = state.firstTokenAt === null ? [startOf(target)] : [];
    return [
      ...opening,
      ...calls.map((call): ModelEvent => ({ type: 'tool-call', call })),
      { type: 'finish', reason, usage, modelId: target.modelId, ...(providerState && { providerState }) },
    ];
  };

  return (part: LanguageModelV3StreamPart): ModelEvent[] => {
    collected.add(part);
    switch (part.type) {
      case 'text-delta':
        return part.delta ? token({ type: 'text', delta: part.delta, ...refused(part) }, part.delta) : [];
      case 'reasoning-start':
      case 'reasoning-delta': {
        const delta = part.type === 'reasoning-delta' ? part.delta : '';
        // Only the provider's own protocol has a field for it.
        const proof = request.asWritten ? proofOf(part) : null;
        return delta || proof ? token({ type: 'reasoning', delta, ...proof }, delta) : [];
      }
      case 'tool-input-start':
        toolNames.set(part.id, part.toolName);
        return [];
      case 'tool-input-delta': {
        const toolName = toolNames.get(part.id) ?? '';
        return part.delta
          ? token({ type: 'tool-arguments', toolCallId: part.id, toolName, delta: part.delta }, part.delta)
          : [];
      }
      case 'tool-call':
        calls.push({ id: part.toolCallId, name: part.toolName, argumentsJson: part.input });
        return [];
      case 'error':
        throw part.error;
      case 'finish':
        return finish(part);
      default:
        return [];
    }
  };
}

const endless = ({ provider, modelId }: Target) =>
  new Fault(
    'PROVIDER_ERROR',
    `${provider.name} (${modelId}) went on for more than ${mostCharacters.toLocaleString('en-US')} characters, and was stopped.`,
    { isFinal: true, hint: 'It keeps to no limit: set one at the provider, or use another model.' },
  );

type Metadata = { providerMetadata?: SharedV3ProviderMetadata };

/** What Anthropic signs its thoughts with. */
function proofOf({ providerMetadata }: Metadata): { signature: string } | { redacted: string } | null {
  const { signature, redactedData } = providerMetadata?.anthropic ?? {};
  if (typeof signature === 'string' && signature) return { signature };
  return typeof redactedData === 'string' ? { redacted: redactedData } : null;
}

const refused = ({ providerMetadata }: Metadata) =>
  providerMetadata?.plain?.refusal ? { refusal: true as const } : {};

function finishReason({ unified }: LanguageModelV3FinishReason, hasCalls: boolean): FinishReason {
  // Some local servers say `stop` beside their tool calls.
  if (hasCalls && (unified === 'stop' || unified === 'other')) return 'tool-calls';
  return unified === 'error' ? 'other' : unified;
}

function toUsage(usage: LanguageModelV3Usage, target: Target, request: ModelRequest, received: string): ModelUsage {
  const { estimated, ...counts } = soundUsage(usage, {
    prompt: () => estimatePrompt(request),
    completion: () => estimateTokens(received),
  });
  return {
    ...counts,
    costUsd: costUsd(target.price, counts),
    priced: target.price !== null,
    ...(estimated && { estimated }),
  };
}

/** Addresses of providers that are configured without one. */
const usualHosts: Partial<Record<ProviderKind, string>> = {
  openai: 'api.openai.com',
  anthropic: 'api.anthropic.com',
  google: 'generativelanguage.googleapis.com',
};

function startOf({ modelId, provider: { baseUrl, kind } }: Target): ModelEvent {
  const address = baseUrl !== undefined && URL.canParse(baseUrl) ? new URL(baseUrl).hostname : usualHosts[kind];
  return { type: 'start', modelId, ...(address !== undefined && { address }) };
}
