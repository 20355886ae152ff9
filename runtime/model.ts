// The model as the engine and chat see it: one streamed call, provider-neutral.

export type ModelMessage =
  | { role: 'system'; content: string }
  | { role: 'user'; content: string | UserPart[] }
  | {
      role: 'assistant';
      content: string;
      reasoning?: string;
      toolCalls?: ModelToolCall[];
      /** What the `finish` event carried; some providers refuse tool results without it. */
      providerState?: unknown;
    }
  | { role: 'tool'; toolCallId: string; toolName: string; content: string; isError?: boolean };

export type UserPart =
  | { type: 'text'; text: string }
  | { type: 'image'; mediaType: string; data: Uint8Array | URL }
  /** A document or a recording, for providers that read them. */
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
  /** Whether the provider is to hold the model to the schema; its own default where nothing is said. */
  strict?: boolean;
}

/** The interfaces that providers and clients of ours have in common. */
export type Wire = 'chat' | 'responses' | 'messages';

/** A request as a client wrote it, for providers that read the same words; what it means is in the request as well. */
export interface AsWritten {
  wire: Wire;
  /** Without the model and how the answer is streamed. Without a conversation where that is to be taken from the request. */
  body: Record<string, unknown>;
  headers?: Record<string, string>;
}

/** Stands for a model where none is named: routes choose, and where none matches it is the default one. */
export const anyModel = 'auto';

export interface ModelRequest {
  tenantId: number;
  /** `provider:model`, e.g. `openai:gpt-5-mini`; `route:NAME`; `auto` where routes may choose. */
  modelId: string;
  /** Models to try in order when the first fails before its first token. */
  fallbackModelIds?: string[];
  messages: ModelMessage[];
  tools?: ModelTool[];
  /** Names of tools that are not described yet; a call of one is answered all the same. */
  onRequest?: readonly string[];
  toolChoice?: 'auto' | 'none' | 'required' | { name: string };
  /** False asks for one tool call at a time, where the provider knows how. */
  parallelToolCalls?: boolean;
  maxOutputTokens?: number;
  temperature?: number;
  topP?: number;
  frequencyPenalty?: number;
  presencePenalty?: number;
  /** Where the provider has one: the same seed makes the same answer likelier, no more. */
  seed?: number;
  reasoningEffort?: string;
  /** JSON Schema that the answer's text must match. */
  responseSchema?: Record<string, unknown>;
  /** What the schema is called, and whether the provider is to hold the model to it. */
  responseName?: string;
  responseStrict?: boolean;
  /** The answer's text must be JSON, of whatever shape where there is no schema. */
  responseJson?: boolean;
  /** Texts before which the answer ends, where the provider takes them. */
  stop?: string[];
  /** False when the caller itself makes a failed call again: each target is then tried once. */
  repeats?: boolean;
  /** What the call is for, kept in the usage ledger and traces (AICallPurpose). */
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
  /** Headers that name the trace of the call, for its provider; set on the way by who traces it. */
  traceHeaders?: Record<string, string>;
  /** Sent instead of all the above to providers of the same wire. */
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
  /** `address`: host of the provider that answers, where it is known. */
  | { type: 'start'; modelId: string; address?: string }
  /** What a model refuses with is said, too. */
  | { type: 'text'; delta: string; refusal?: true }
  /** With what proves a thought to its provider, once it is thought; `redacted` is one that nobody may read. */
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
  /** What `auto` is where no route chooses. */
  defaultModelId(): string;
}
