// Turns our messages into the prompt of an AI SDK provider, and keeps what a provider wants back with them.
import type {
  LanguageModelV3Message,
  LanguageModelV3Prompt,
  LanguageModelV3StreamPart,
  LanguageModelV3ToolResultPart,
  SharedV3ProviderMetadata,
} from '@ai-sdk/provider';
import type { ModelMessage, UserPart } from '../../../runtime/model.ts';
import type { ProviderKind } from './target.ts';

type Assistant = Extract<ModelMessage, { role: 'assistant' }>;
type AssistantParts = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'];

/** What `providerState` of an assistant message holds: signed reasoning and per-call metadata of one provider kind. */
interface ProviderState {
  kind: ProviderKind;
  reasoning: { text: string; metadata?: SharedV3ProviderMetadata }[];
  toolCalls: Record<string, SharedV3ProviderMetadata>;
}

/** Messages as the provider's prompt. Reasoning goes back only to the kind of provider that it came from. */
export function toPrompt(messages: ModelMessage[], kind: ProviderKind): LanguageModelV3Prompt {
  const prompt: LanguageModelV3Prompt = [];
  const lastUser = messages.findLastIndex((message) => message.role === 'user');
  let results: LanguageModelV3ToolResultPart[] | null = null;
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') {
      if (!results) {
        results = [];
        prompt.push({ role: 'tool', content: results });
      }
      results.push(toolResult(message));
      continue;
    }
    results = null;
    if (message.role === 'system') prompt.push({ role: 'system', content: message.content });
    else if (message.role === 'user') prompt.push({ role: 'user', content: userParts(message.content) });
    else prompt.push({ role: 'assistant', content: assistantParts(message, kind, index > lastUser) });
  }
  return prompt;
}

function userParts(content: string | UserPart[]) {
  if (typeof content === 'string') return [{ type: 'text' as const, text: content }];
  return content.map((part) =>
    part.type === 'text'
      ? { type: 'text' as const, text: part.text }
      : {
          type: 'file' as const,
          mediaType: part.mediaType,
          data: part.data,
          ...(part.type === 'file' && part.fileName !== undefined && { filename: part.fileName }),
        },
  );
}

function assistantParts(message: Assistant, kind: ProviderKind, inToolLoop: boolean): AssistantParts {
  const state = readState(message.providerState, kind);
  const parts: AssistantParts = [];
  if (state) {
    for (const { text, metadata } of state.reasoning) parts.push({ type: 'reasoning', text, ...options(metadata) });
  } else if (kind === 'openai-compatible' && inToolLoop && message.reasoning) {
    // Models that think between tool calls lose their thread without it; after the next user message it is dead weight.
    parts.push({ type: 'reasoning', text: message.reasoning });
  }
  if (message.content) parts.push({ type: 'text', text: message.content });
  for (const call of message.toolCalls ?? []) {
    parts.push({
      type: 'tool-call',
      toolCallId: call.id,
      toolName: call.name,
      input: parsedArguments(call.argumentsJson),
      ...options(state?.toolCalls[call.id]),
    });
  }
  // Providers refuse an assistant message with nothing in it.
  if (parts.length === 0) parts.push({ type: 'text', text: '(no answer)' });
  return parts;
}

const options = (metadata: SharedV3ProviderMetadata | undefined) => (metadata ? { providerOptions: metadata } : {});

function toolResult(message: Extract<ModelMessage, { role: 'tool' }>): LanguageModelV3ToolResultPart {
  return {
    type: 'tool-result',
    toolCallId: message.toolCallId,
    toolName: message.toolName,
    output: { type: message.isError ? 'error-text' : 'text', value: message.content },
  };
}

/** Providers want an object; arguments that never were JSON go back as the text they were. */
function parsedArguments(json: string): unknown {
  try {
    const value: unknown = JSON.parse(json || '{}');
    return typeof value === 'object' && value !== null ? value : { value };
  } catch {
    return { invalidJson: json };
  }
}

function readState(value: unknown, kind: ProviderKind): ProviderState | null {
  if (typeof value !== 'object' || value === null || !('kind' in value) || value.kind !== kind) return null;
  return value as ProviderState;
}

/** Collects, part by part, what the provider wants back with the answer. */
export function collectState(kind: ProviderKind) {
  const reasoning = new Map<string, { text: string; metadata?: SharedV3ProviderMetadata }>();
  const toolCalls: Record<string, SharedV3ProviderMetadata> = {};
  return {
    add(part: LanguageModelV3StreamPart): void {
      if (part.type === 'reasoning-start' || part.type === 'reasoning-delta' || part.type === 'reasoning-end') {
        const block = reasoning.get(part.id) ?? { text: '' };
        if (part.type === 'reasoning-delta') block.text += part.delta;
        if (part.providerMetadata) block.metadata = merge(block.metadata, part.providerMetadata);
        reasoning.set(part.id, block);
      } else if (part.type === 'tool-call' && part.providerMetadata) {
        toolCalls[part.toolCallId] = part.providerMetadata;
      }
    },
    /** Undefined when there is nothing that the provider would check. */
    state(): ProviderState | undefined {
      const signed = [...reasoning.values()].filter((block) => block.metadata);
      if (signed.length === 0 && Object.keys(toolCalls).length === 0) return undefined;
      return { kind, reasoning: signed, toolCalls };
    },
  };
}

function merge(old: SharedV3ProviderMetadata | undefined, more: SharedV3ProviderMetadata): SharedV3ProviderMetadata {
  const merged = { ...old };
  for (const [provider, values] of Object.entries(more)) merged[provider] = { ...merged[provider], ...values };
  return merged;
}
