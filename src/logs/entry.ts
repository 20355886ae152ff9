// What a log line says: its level, domain and ids, read from the JSON that the logger wrote.
import { LogDomain, SystemLogLevel } from '../contract/enums.ts';

/** Levels from the least to the gravest; their numbers are those of the logger, divided by ten, less one. */
export const levels = SystemLogLevel.options;
const domains: ReadonlySet<string> = new Set(LogDomain.options);

export const levelOf = (number: unknown): SystemLogLevel =>
  levels[Math.min(levels.length - 1, Math.max(0, Math.floor(Number(number) / 10) - 1))] ?? 'Information';
export const weightOf = (level: SystemLogLevel): number => levels.indexOf(level);
export const domainOf = (name: unknown): LogDomain =>
  typeof name === 'string' && domains.has(name) ? (name as LogDomain) : 'System';

/** A kept line, read. */
export interface LogEntry {
  id: number;
  /** Ms since 1970 UTC. */
  at: number;
  domain: LogDomain;
  level: SystemLogLevel;
  message: string;
  errorCode: string | null;
  exception: string | null;
  propertiesJson: string | null;
  host: string;
  nodeId: string;
  requestId: string | null;
  runId: number | null;
  chatSessionId: number | null;
  identityId: number | null;
  userId: number | null;
  /** The operation that a request was for. */
  route: string | null;
  /** The line was written while a digest of lines was delivered. */
  ofDigest: boolean;
}

export type LineFields = Record<string, unknown>;

const text = (value: unknown) => (typeof value === 'string' ? value : null);
const id = (value: unknown) => (Number.isSafeInteger(value) ? (value as number) : null);

const mostCharacters = 8000;

/** The fields of a line; null for what is no line of the logger. */
export function fieldsOf(line: string): LineFields | null {
  try {
    const parsed: unknown = JSON.parse(line);
    return typeof parsed === 'object' && parsed !== null ? (parsed as LineFields) : null;
  } catch {
    return null;
  }
}

/** The name of the fault that a line tells of: its own code, else that of its error. */
export const codeOf = ({ code, err, error }: LineFields): string | null =>
  text(code) ?? text((err as LineFields | undefined)?.code) ?? text((error as LineFields | undefined)?.code);

/** Reads a line that was kept. */
export function readEntry(number: number, fields: LineFields, where: { host: string; nodeId: string }): LogEntry {
  const { level, time, msg, domain, code: _, err, error, tenant: __, ofDigest, requestId, runId, ...others } = fields;
  const { route, chatSessionId, identityId, userId, ...rest } = others;
  const cause = (err ?? error) as LineFields | string | undefined;
  const properties = { ...(route !== undefined && { route }), ...rest };
  return {
    id: number,
    at: Number(time),
    domain: domainOf(domain),
    level: levelOf(level),
    message: text(msg) ?? '',
    errorCode: codeOf(fields),
    exception: exceptionOf(cause)?.slice(0, mostCharacters) ?? null,
    propertiesJson: Object.keys(properties).length > 0 ? JSON.stringify(properties).slice(0, mostCharacters) : null,
    host: where.host,
    nodeId: where.nodeId,
    requestId: text(requestId),
    runId: id(runId),
    chatSessionId: id(chatSessionId),
    identityId: id(identityId),
    userId: id(userId),
    route: text(route),
    ofDigest: ofDigest === true,
  };
}

/** An error with its causes, as people read it. */
function exceptionOf(error: LineFields | string | undefined): string | null {
  if (typeof error === 'string') return error;
  if (typeof error !== 'object' || error === null) return null;
  const own = text(error.stack) ?? ([error.type, error.message].filter(Boolean).join(': ') || null);
  const cause = exceptionOf(error.cause as LineFields | undefined);
  return cause ? `${own ?? ''}\nCaused by: ${cause}` : own;
}

/** What lines are narrowed by. */
export interface LogFilter {
  from?: number | undefined;
  /** Exclusive. */
  to?: number | undefined;
  domain?: LogDomain | undefined;
  minLevel?: SystemLogLevel | undefined;
  host?: string | undefined;
  requestId?: string | undefined;
  runId?: number | undefined;
  identityId?: number | undefined;
  errorCode?: string | undefined;
  q?: string | undefined;
}

/** Says whether a line is one of those that a filter wants. */
export function matcherOf(filter: LogFilter): (entry: LogEntry) => boolean {
  const least = filter.minLevel ? weightOf(filter.minLevel) : 0;
  const q = filter.q?.toLowerCase();
  const quoted = inJson(q ?? '');
  const same = (wanted: unknown, found: unknown) => wanted === undefined || wanted === found;
  return (entry) =>
    weightOf(entry.level) >= least &&
    same(filter.domain, entry.domain) &&
    same(filter.host?.toLowerCase(), entry.host.toLowerCase()) &&
    same(filter.requestId, entry.requestId) &&
    same(filter.runId, entry.runId) &&
    same(filter.identityId, entry.identityId) &&
    same(filter.errorCode, entry.errorCode) &&
    (filter.from === undefined || entry.at >= filter.from) &&
    (filter.to === undefined || entry.at < filter.to) &&
    (q === undefined || textsOf(entry).some((one) => one.toLowerCase().includes(q)) || hasProperty(entry, quoted));
}

const inJson = (text: string) => JSON.stringify(text).slice(1, -1);
/** Properties are JSON, in which a text stands as JSON writes it. */
const hasProperty = ({ propertiesJson }: LogEntry, quoted: string): boolean =>
  propertiesJson?.toLowerCase().includes(quoted) ?? false;

const textsOf = ({ message, errorCode, exception, propertiesJson, requestId }: LogEntry) =>
  [message, errorCode, exception, propertiesJson, requestId].filter((one) => one !== null);

/** Texts of which one stands in every part of the log that has a matching line; in lower case. Null where nothing can be said. */
export function needlesOf({ q, requestId, errorCode, runId, identityId }: LogFilter): string[][] {
  const quotedText = (value: string) => inJson(value).toLowerCase();
  const needles: string[][] = [];
  // Properties are shown as JSON, so that a search may name what stands in quotes there.
  if (q !== undefined) needles.push([quotedText(q), q.toLowerCase()]);
  if (requestId !== undefined) needles.push([`"requestid":"${quotedText(requestId)}"`]);
  if (errorCode !== undefined) needles.push([quotedText(errorCode)]);
  if (runId !== undefined) needles.push([`"runid":${runId}`]);
  if (identityId !== undefined) needles.push([`"identityid":${identityId}`]);
  return needles;
}
