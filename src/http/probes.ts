// Addresses that probes and scrapers look at unless they are told otherwise, beside those of the interface.
import type { Exchange } from './adapter.ts';

const probes: ReadonlyMap<string, string> = new Map([
  ['/healthz', '/api/system/health'],
  ['/livez', '/api/system/health'],
  ['/readyz', '/api/system/ready'],
  ['/metrics', '/api/system/metrics'],
]);

/** The path by which an operation is found. `/metrics` asks for the same key as the operation behind it. */
export const pathOf = ({ path }: Exchange): string => probes.get(path) ?? path;

const probed: ReadonlySet<string> = new Set(probes.values());

/** Whether a route is one that machines look at every few seconds. */
export const isProbed = (template: string | undefined): boolean => template !== undefined && probed.has(template);
