// Recorded calls as they are answered, published and exported.
import type { CallDoc } from '../../../ports/ai-router.ts';
import type { AICallDto, AIUsageRow } from '../dto.ts';
import { average, type Tally } from './tally.ts';

/** `identityName` where the reader knows it. */
export function toCallDto(call: CallDoc, identityName: string | null): AICallDto {
  return {
    id: call._id,
    guid: call.guid,
    purpose: call.purpose,
    status: call.status,
    routeId: call.routeId,
    routeName: call.routeName,
    providerId: call.providerId,
    providerName: call.providerName,
    modelId: call.modelId,
    attemptCount: call.attemptCount,
    isStreaming: true,
    isCached: call.cacheReadTokens > 0,
    promptTokens: call.promptTokens,
    completionTokens: call.completionTokens,
    cacheReadTokens: call.cacheReadTokens,
    costUsd: call.costUsd,
    latencyMs: call.latencyMs,
    timeToFirstTokenMs: call.timeToFirstTokenMs,
    finishReason: call.finishReason,
    errorCode: call.errorCode,
    identityId: call.identityId,
    identityName,
    userId: call.userId,
    runId: call.runId,
    chatSessionId: call.chatSessionId,
    projectId: call.projectId,
    createdAtUtc: call.createdAt.toISOString(),
  };
}

export const toUsageRow = (tally: Tally): AIUsageRow => ({
  key: tally.key,
  label: tally.label,
  calls: tally.calls,
  failedCalls: tally.failedCalls,
  promptTokens: tally.promptTokens,
  completionTokens: tally.completionTokens,
  cacheReadTokens: tally.cacheReadTokens,
  costUsd: tally.costUsd,
  avgLatencyMs: average(tally.latencyMs, tally.calls),
  errorRate: average(tally.failedCalls, tally.calls),
});

const columns = [
  'id',
  'createdAtUtc',
  'purpose',
  'status',
  'providerName',
  'modelId',
  'routeName',
  'attemptCount',
  'promptTokens',
  'completionTokens',
  'cacheReadTokens',
  'costUsd',
  'latencyMs',
  'timeToFirstTokenMs',
  'finishReason',
  'errorCode',
  'identityId',
  'userId',
  'runId',
  'chatSessionId',
  'projectId',
] as const satisfies readonly (keyof AICallDto)[];

export const csvHeader = `${columns.join(',')}\r\n`;
export const csvRow = (call: AICallDto) => `${columns.map((column) => csvCell(call[column])).join(',')}\r\n`;

/** RFC 4180; a leading sign of a formula is defused, since spreadsheets run them. */
function csvCell(value: string | number | boolean | null): string {
  if (value === null) return '';
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
