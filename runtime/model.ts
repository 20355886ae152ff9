// Port of the model for the engine and chat: one streamed call, provider-neutral.

export type ModelMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | UserPart[] }
  | {
      role: 'assistant';
      content: string;
      reasoning?: string;
      toolCalls?: ModelToolCall[];
      /** State from the `finish` event; some providers refuse tool results without it. */
      providerState?: unknown;
      /** Why it lacks its end, in a sentence for people; absent for a whole one. No provider is sent this. */
      cut?: string;
    }
  | { role: 'tool'; toolCallId: string; toolName: string; content: string; isError?: boolean };

export type UserPart =
  | { type: 'text'; text: string }
  | { type: 'image'; mediaType: string; data: Uint8Array | URL }
  /** A document or a recording, for providers that accept them. */
  | { type: 'file'; mediaType: string; data: Uint8Array | URL; fileName?: string };

export interface ModelToolCall {
  id: string;
  name: string;
  /** JSON text as the model wrote it; may be invalid. */
  argumentsJson: string;
}

export interface ModelTool {
  name: string;
  description: string;
  /** JSON Schema of the arguments. */
  inputSchema: Record<string, unknown>;
  /** Whether the provider must hold the model to the schema; the provider's default when absent. */
  strict?: boolean;
}

/** Interfaces that both providers and clients of this server speak. */
export type Wire = 'chat' | 'responses' | 'messages';

/** The client's own request, for providers of the same interface; its meaning is in the other fields as well. */
export interface AsWritten {
  wire: Wire;
  /** Body without the model and stream fields, and without the conversation where that comes from the request. */
  body: Record<string, unknown>;
  headers?: Record<string, string>;
}

/** Model id that lets routes choose; where none matches it means the default model. */
export const anyModel = 'auto';

export interface ModelRequest {
  tenantId: number;
  /** `provider:model`, e.g. `openai:gpt-5-mini`; `route:NAME`; `auto` where routes may choose. */
  modelId: string;
  /** Models to try in order when the first fails before its first token. */
  fallbackModelIds?: string[];
  messages: ModelMessage[];
  tools?: ModelTool[];
  /** Names of tools without a description so far; calls of them are answered all the same. */
  onRequest?: readonly string[];
  toolChoice?: 'auto' | 'none' | 'required' | { name: string };
  /** False asks for one tool call at a time, where the provider supports that. */
  parallelToolCalls?: boolean;
  maxOutputTokens?: number;
  temperature?: number;
  topP?: number;
  frequencyPenalty?: number;
  presencePenalty?: number;
  /** Seed, where the provider has one: the same seed makes the same answer likelier, not certain. */
  seed?: number;
  reasoningEffort?: string;
  /** JSON Schema that the answer's text must match. */
  responseSchema?: Record<string, unknown>;
  /** Name of the schema, and whether the provider must hold the model to it. */
  responseName?: string;
  responseStrict?: boolean;
  /** True when the answer must be JSON; any JSON without a schema. */
  responseJson?: boolean;
  /** Stop sequences, where the provider takes them: the answer ends before them. */
  stop?: string[];
  /** False when the caller retries itself: each target is then tried once. */
  repeats?: boolean;
  /** Purpose of the call, for the usage ledger and traces (AICallPurpose). */
  purpose: string;
  runId?: number;
  identityId?: number;
  /** Further facts for routes, budgets and the ledger. */
  role?: string;
  projectId?: number;
  userId?: number;
  chatSessionId?: number;
  /** Stable text for the provider's prompt cache, e.g. `run:42`. */
  cacheKey?: string;
  /** Trace headers for the provider, set by the layer that traces the call. */
  traceHeaders?: Record<string, string>;
  /** The client's own body, sent in place of the fields above to providers of the same interface. */
  asWritten?: AsWritten;
  signal: AbortSignal;
}

export interface ModelUsage {
  promptTokens: number;
  completionTokens: number;
  cacheReadTokens: number;
  cacheWriteTokens: number;
  reasoningTokens: number;
  /** US dollars; 0 when the model has no known price. */
  costUsd: number;
  /** False when the model has no known price, so that 0 is not read as free. */
  priced?: boolean;
  /** True when the provider sent no usage and the tokens were counted from the text. */
  estimated?: boolean;
}

export type FinishReason = 'stop' | 'length' | 'tool-calls' | 'content-filter' | 'other';

export type ModelEvent =
  /** `address`: host of the provider that answers, where known. */
  | { type: 'start'; modelId: string; address?: string }
  /** `refusal` marks the text of a refusal. */
  | { type: 'text'; delta: string; refusal?: true }
  /** `signature` proves a finished thought to its provider; `redacted` is a thought in encrypted form. */
  | { type: 'reasoning'; delta: string; signature?: string; redacted?: string }
  | { type: 'tool-arguments'; toolCallId: string; toolName: string; delta: string }
  | { type: 'tool-call'; call: ModelToolCall }
  /** A failed attempt before the first token; another follows. */
  | { type: 'retry'; modelId: string; attempt: number; delayMs: number; reason: string }
  | {
      type: 'finish';
      reason: FinishReason;
      usage: ModelUsage;
      modelId: string;
      /** JSON to keep with the assistant message and send back unchanged (signatures of reasoning and tool calls). */
      providerState?: unknown;
    };

export interface Model {
  /**
   * Streams one call. Ends with exactly one `finish`, or throws: Fault PROVIDER_ERROR, PROVIDER_TIMEOUT, RATE_LIMITED,
   * NO_ROUTE_AVAILABLE, NOT_CONFIGURED, CONTEXT_TOO_LARGE; the signal's reason when aborted.
   * Failures after the first token are never retried.
   */
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
  /** US dollars for the worst case of a call, for reservations. */
  estimateCost(modelId: string, promptTokens: number, completionTokens: number): number;
  /** Context window and output limit in tokens, where known. */
  limits(modelId: string): { contextTokens: number; maxOutputTokens: number };
  /** Model that `auto` means where no route chooses. */
  defaultModelId(): string;
}
