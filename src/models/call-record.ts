// What is kept of every call, successful or not: the usage ledger's entry.
import type { ModelRequest, ModelUsage } from '../../runtime/model.ts';

export type CallStatus = 'Succeeded' | 'Failed' | 'TimedOut' | 'Cancelled' | 'RateLimited' | 'Blocked';

export interface AttemptRecord {
  attempt: number;
  providerKey: string;
  providerName: string;
  providerId?: number | undefined;
  keyId?: number | undefined;
  modelId: string;
  status: CallStatus;
  httpStatus: number | null;
  latencyMs: number;
  firstTokenMs: number | null;
  error: string | null;
  /** Milliseconds since 1970. */
  startedAt: number;
}

export interface CallRecord {
  request: Pick<ModelRequest, 'tenantId' | 'purpose' | 'runId' | 'identityId' | 'modelId'>;
  status: CallStatus;
  /** The model that answered, or was tried last. */
  modelId: string;
  routeId?: number | undefined;
  routeName?: string | undefined;
  decision?: unknown;
  providerId?: number | undefined;
  providerName: string | null;
  usage: ModelUsage;
  attempts: AttemptRecord[];
  finishReason: string | null;
  errorCode: string | null;
  latencyMs: number;
  firstTokenMs: number | null;
  /** Milliseconds since 1970. */
  startedAt: number;
}
