// What the form of a webhook holds, as text, and the settings that it stands for.
import type { WebhookDto } from '../../../client/index.ts';

export const writtenOf = (webhook?: WebhookDto) => ({
  name: webhook?.name ?? '',
  url: webhook?.url ?? '',
  description: webhook?.description ?? '',
  patterns: (webhook?.eventTypes ?? []).join('\n'),
  filter: webhook?.filterJson ?? '',
  project: String(webhook?.projectId ?? ''),
  identity: String(webhook?.identityId ?? ''),
  /** Headers are never shown again: what is written replaces them. */
  headers: '',
  dropsHeaders: false,
  timeoutSeconds: String((webhook?.timeoutMs ?? 15_000) / 1000),
  maxAttempts: String(webhook?.maxAttempts ?? 9),
});
export type Written = ReturnType<typeof writtenOf>;

const textOr = (text: string) => (text.trim() === '' ? null : text);
const idOr = (text: string) => (text === '' ? null : Number(text));
export const patternsOf = ({ patterns }: Pick<Written, 'patterns'>): string[] =>
  patterns.split(/[\s,]+/).filter(Boolean);

/** `Name: value`, one a line, as the JSON that the server takes; undefined leaves them as they are. */
function headersOf({ headers, dropsHeaders }: Written): { headersJson?: string | null } {
  if (dropsHeaders) return { headersJson: null };
  const lines = headers.split('\n').filter((line) => line.trim() !== '');
  if (lines.length === 0) return {};
  const pairs = lines.map((line) => {
    const at = line.indexOf(':');
    return at < 0 ? [line.trim(), ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  });
  return { headersJson: JSON.stringify(Object.fromEntries(pairs)) };
}

export const settingsOf = (written: Written) => ({
  name: written.name,
  url: written.url.trim(),
  eventTypes: patternsOf(written),
  description: textOr(written.description),
  filterJson: textOr(written.filter),
  projectId: idOr(written.project),
  identityId: idOr(written.identity),
  timeoutMs: Math.round(Number(written.timeoutSeconds) * 1000),
  maxAttempts: Number(written.maxAttempts),
  ...headersOf(written),
});
