// Builds a provider's request body from the client's own body, where both use the same protocol.
import type { AsWritten, ModelRequest, Wire } from '../../../runtime/model.ts';
import type { ProviderConfig, ProviderKind, Target } from './target.ts';

const openAiUrl = 'https://api.openai.com/v1';

const wires: Partial<Record<ProviderKind, Wire>> = {
  openai: 'responses',
  'openai-compatible': 'chat',
  anthropic: 'messages',
};

type Body = Record<string, unknown>;

/** The provider as this request is sent to it: OpenAI itself reads both of its interfaces. */
export function providerFor({ provider }: Target, { asWritten }: ModelRequest): ProviderConfig {
  if (provider.kind !== 'openai' || asWritten?.wire !== 'chat') return provider;
  return { ...provider, kind: 'openai-compatible', baseUrl: provider.baseUrl ?? openAiUrl };
}

/** What the client wrote, where this provider reads it; null for others. */
export const writtenFor = ({ kind }: ProviderConfig, { asWritten }: ModelRequest): AsWritten | null =>
  asWritten && wires[kind] === asWritten.wire ? asWritten : null;

/** Fields that name a conversation, by protocol. */
const conversations: Record<Wire, readonly string[]> = {
  chat: ['messages'],
  responses: ['input'],
  messages: ['messages', 'system'],
};

export const hasConversation = ({ wire, body }: AsWritten): boolean => (conversations[wire][0] as string) in body;

/**
 * The whole body: what the client wrote, what the target says where the client said nothing, and how the answer comes.
 * `made` is the body that the provider's SDK has made of the request.
 */
export function composeBody(written: AsWritten, target: Target, made: string): string {
  const { wire, body } = written;
  const own: Body = hasConversation(written) ? {} : conversationOf(wire, JSON.parse(made) as Body);
  const common = { ...own, ...defaultsOf(wire, body, target), ...body, model: target.modelName, stream: true };
  switch (wire) {
    case 'chat':
      return JSON.stringify({ ...common, stream_options: { ...object(body.stream_options), include_usage: true } });
    case 'responses': {
      // Nothing stays at the provider unless the client says so: encrypted reasoning comes back to us and is sent
      // again.
      const include = [...new Set([...list(body.include), 'reasoning.encrypted_content'])];
      return JSON.stringify({ ...common, store: body.store ?? false, include });
    }
    case 'messages':
      return JSON.stringify(common);
  }
}

const conversationOf = (wire: Wire, made: Body): Body =>
  Object.fromEntries(conversations[wire].flatMap((name) => (name in made ? [[name, made[name]]] : [])));

function defaultsOf(wire: Wire, body: Body, { temperature, maxOutputTokens, reasoningEffort }: Target): Body {
  const lengths = ['max_tokens', 'max_completion_tokens', 'max_output_tokens'];
  const limited = lengths.some((name) => body[name] != null);
  return {
    ...(temperature !== undefined && body.temperature == null && { temperature }),
    ...(maxOutputTokens !== undefined &&
      !limited && { [wire === 'responses' ? 'max_output_tokens' : 'max_tokens']: maxOutputTokens }),
    ...(reasoningEffort !== undefined && wire === 'chat' && { reasoning_effort: reasoningEffort }),
    ...(reasoningEffort !== undefined && wire === 'responses' && { reasoning: { effort: reasoningEffort } }),
  };
}

const object = (value: unknown): Body => (typeof value === 'object' && value !== null ? (value as Body) : {});
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
