// What the URL asks of the log, and how levels look.
import type { LogDomain, SystemLogLevel } from '../../../client/index.ts';
import type { Shape, Tone } from '../../ui/status.tsx';

export const levels: SystemLogLevel[] = ['Trace', 'Debug', 'Information', 'Warning', 'Error', 'Critical'];
export const domains: LogDomain[] = [
  'System',
  'Http',
  'Realtime',
  'Auth',
  'Agent',
  'Chat',
  'Memory',
  'Connector',
  'Mcp',
  'AiRouter',
  'Queue',
  'Routine',
  'Import',
  'Export',
  'SiteBuild',
  'Billing',
  'Channel',
  'Webhook',
  'Security',
];

export const looks: Record<SystemLogLevel, [Shape, Tone]> = {
  Trace: ['hollow', 'plain'],
  Debug: ['hollow', 'plain'],
  Information: ['flow', 'plain'],
  Warning: ['bars', 'warn'],
  Error: ['dam', 'bad'],
  Critical: ['dam', 'bad'],
};

/** What is asked of both the search and the tail. */
export interface Asked {
  q?: string;
  domain?: LogDomain;
  minLevel?: SystemLogLevel;
  sourceHost?: string;
  runId?: number;
}

export function askedIn(query: URLSearchParams): Asked {
  const [q, host] = [query.get('q') ?? '', query.get('host') ?? ''];
  const domain = domains.find((one) => one === query.get('domain'));
  const minLevel = levels.find((one) => one === query.get('level'));
  const runId = Number(query.get('run')) || null;
  return {
    ...(q ? { q } : {}),
    ...(domain ? { domain } : {}),
    ...(minLevel ? { minLevel } : {}),
    ...(host ? { sourceHost: host } : {}),
    ...(runId ? { runId } : {}),
  };
}
