// Opens a streamed call at a provider: with the AI SDK's client of its kind, and what only this kind knows.
import type { LanguageModelV3, LanguageModelV3CallOptions } from '@ai-sdk/provider';
import type { AsWritten, ModelRequest } from '../../../runtime/model.ts';
import { createSend, type Send } from '../../kernel/http-send.ts';
import { createLru } from '../../kernel/lru.ts';
import { outboundFetch } from '../../kernel/outbound-fetch.ts';
import { reachingFetch, reachingSend } from '../../kernel/reach.ts';
import { anthropic } from './anthropic.ts';
import { composeBody, hasConversation, providerFor, writtenFor } from './as-written.ts';
import { google } from './google.ts';
import type { Kind } from './kind.ts';
import { openai } from './openai.ts';
import { openaiCompatible } from './openai-compatible.ts';
import { createPlainAnswers, type PlainAnswers } from './plain-answers.ts';
import { toPrompt } from './prompt.ts';
import type { OpenCall, ProviderConfig, ProviderKind, Target } from './target.ts';

/** Kinds that are called; scripted targets are played instead. */
type CalledKind = Exclude<ProviderKind, 'scripted'>;
const kinds: Record<CalledKind, Kind> = { openai, 'openai-compatible': openaiCompatible, anthropic, google };

/** The SDK's model, and who reads its answers before it where somebody does. */
interface Client {
  model: LanguageModelV3;
  plain: PlainAnswers | null;
}

/** Clients that are kept: making one builds its schemas, which costs as much as a short call. */
const keptClients = 200;

/** Opens calls through the AI SDK provider of the target's kind. Throws APICallError as the SDK does; never retries. */
export function createSdkCalls(): OpenCall {
  const clients = createLru<string, Client>(keptClients);
  const send = createSend();
  const bodies: Bodies = new WeakMap();
  return async (asked, request, signal) => {
    const target = { ...asked, provider: providerFor(asked, request) };
    const { kind, name, apiKey, baseUrl, headers, reach } = target.provider;
    const id = JSON.stringify([kind, name, apiKey, baseUrl, headers, reach, target.modelName]);
    const client = clients.get(id) ?? (await createClient(target.provider, target.modelName, { send, bodies }));
    clients.set(id, client);
    const { model, plain } = client;
    const written = writtenFor(target.provider, request);
    if (written) bodies.set(signal, (made) => composeBody(written, target, made));
    const options = written ? optionsAround(written, request, kind) : callOptions(target, request);
    const { traceHeaders } = request;
    const traced = traceHeaders && { headers: { ...options.headers, ...traceHeaders } };
    const start = () => model.doStream({ ...options, ...traced, abortSignal: signal });
    return plain ? plain.open(signal, start) : (await start()).stream;
  };
}

/** What is sent instead of the body that the SDK has made, by the signal of the call, which the SDK hands on. */
type Bodies = WeakMap<AbortSignal, (made: string) => string>;

const rewriting =
  (ask: typeof fetch, bodies: Bodies): typeof fetch =>
  (input, init) => {
    const compose = init?.signal && bodies.get(init.signal);
    return ask(input, compose ? { ...init, body: compose(init?.body as string) } : init);
  };

/** For a call whose body is written already, the SDK needs something to ask, and reads the answer. */
function optionsAround(written: AsWritten, { messages }: ModelRequest, kind: ProviderKind): LanguageModelV3CallOptions {
  const prompt = hasConversation(written) ? [{ role: 'user' as const, content: [] }] : toPrompt(messages, kind);
  return { prompt, ...(written.headers && { headers: written.headers }) };
}

/** A provider's client is loaded when it is first called: together they are a third of what an idle server would hold. */
async function createClient(
  provider: ProviderConfig,
  modelName: string,
  { send, bodies }: { send: Send; bodies: Bodies },
): Promise<Client> {
  const { kind, reach } = provider;
  const plain = kind === 'openai-compatible' ? createPlainAnswers(reach ? reachingSend(reach) : send) : null;
  const ask = plain?.fetch ?? (reach ? reachingFetch(reach) : outboundFetch);
  return { model: await kinds[kind as CalledKind].open(provider, modelName, rewriting(ask, bodies)), plain };
}

function callOptions(target: Target, request: ModelRequest): LanguageModelV3CallOptions {
  const { kind } = target.provider;
  const own = kinds[kind as CalledKind];
  own.check?.(request);
  const prompt = toPrompt(request.messages, kind);
  if (request.cacheKey) own.mark?.(prompt, target);
  const maxOutputTokens = request.maxOutputTokens ?? target.maxOutputTokens;
  const temperature = request.temperature ?? target.temperature;
  const { topP, frequencyPenalty, presencePenalty, seed, stop } = request;
  return {
    prompt,
    ...(topP !== undefined && { topP }),
    ...(frequencyPenalty !== undefined && { frequencyPenalty }),
    ...(presencePenalty !== undefined && { presencePenalty }),
    ...(seed !== undefined && { seed }),
    ...(stop && { stopSequences: stop }),
    ...(maxOutputTokens !== undefined && { maxOutputTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(request.tools?.length && {
      tools: request.tools.map(({ name, description, inputSchema, strict }) => ({
        type: 'function',
        name,
        description,
        inputSchema,
        ...(strict !== undefined && { strict }),
      })),
      ...(request.toolChoice && { toolChoice: toolChoice(request.toolChoice) }),
    }),
    ...((request.responseSchema || request.responseJson) && {
      responseFormat: {
        type: 'json',
        ...(request.responseSchema && { schema: request.responseSchema, name: request.responseName ?? 'answer' }),
      },
    }),
    providerOptions: own.options(target, request),
  };
}

const toolChoice = (choice: NonNullable<ModelRequest['toolChoice']>) =>
  typeof choice === 'string' ? { type: choice } : { type: 'tool' as const, toolName: choice.name };
