// What the gateway is told at boot: which providers have credentials, and how patient to be.

export interface ProviderAccess {
  apiKey?: string | null;
  /** Base URL of the API, e.g. `http://127.0.0.1:11434/v1`. */
  baseUrl?: string | null;
}

export interface ModelSettings {
  /** `RIVULET_MODEL`, e.g. `openai:gpt-5-mini`. */
  model?: string | null;
  providers?: {
    /** With a base URL the provider speaks Chat Completions to that server; a key is then optional. */
    openai?: ProviderAccess;
    anthropic?: ProviderAccess;
    google?: ProviderAccess;
    /** Default base URL: `http://127.0.0.1:11434/v1`. */
    ollama?: ProviderAccess;
  };
  /** Folder of `*.yaml`, `*.yml` and `*.json` scenarios, beside the built-in ones. */
  scenariosDir?: string | null;
}

/** How long to wait and how often to try. Times in milliseconds. */
export interface CallPolicy {
  /** From the request to the first text, reasoning or tool argument. */
  firstTokenTimeoutMs: number;
  /** Longest silence between two parts after the first. */
  idleTimeoutMs: number;
  /** Tries of one model before the next fallback, the first included. */
  maxAttempts: number;
  /** Wait before the second try; doubles with each further one, with jitter of ±50 %. */
  backoffMs: number;
  /** A longer wait asked for by the provider is not taken; the call fails over or ends. */
  maxBackoffMs: number;
  /** Failures in a row after which a provider is left alone. */
  circuitFailureThreshold: number;
  circuitOpenMs: number;
}

export const defaultPolicy: CallPolicy = {
  firstTokenTimeoutMs: 180_000,
  idleTimeoutMs: 120_000,
  maxAttempts: 3,
  backoffMs: 500,
  maxBackoffMs: 30_000,
  circuitFailureThreshold: 5,
  circuitOpenMs: 30_000,
};
