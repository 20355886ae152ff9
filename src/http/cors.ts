// Cross-origin requests: which origins may call from a browser, and what their scripts may send and read.
import type { Exchange, HeaderList } from './adapter.ts';

/** Header names that a script may send where its preflight names none. */
const usual = 'authorization, content-type, idempotency-key, last-event-id, x-api-key, x-request-id';
/** A list of header names as a browser sends it; anything else is not echoed. */
const headerNames = /^[\w!#$%&'*+.^`|~-]+(\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/;
const maxEchoed = 2000;

/**
 * The CORS headers of an answer; none where no origin is permitted by the settings.
 *
 * A permitted origin may send every header that its preflight asks for: SDKs add names of their own (`x-stainless-…`).
 */
export function corsHeaders(permitted: readonly string[], exchange: Exchange): HeaderList {
  if (permitted.length === 0) return [];
  const origin = exchange.header('origin');
  // Caches must keep the answers to different origins apart, also those to none.
  if (!origin || !permitted.includes(origin)) return [['vary', 'origin']];
  const asked = exchange.method === 'OPTIONS' ? exchange.header('access-control-request-headers') : undefined;
  const echoed = asked !== undefined && asked.length <= maxEchoed && headerNames.test(asked) ? asked : usual;
  return [
    ['access-control-allow-origin', origin],
    ['vary', asked === undefined ? 'origin' : 'origin, access-control-request-headers'],
    ['access-control-allow-headers', echoed],
    [
      'access-control-expose-headers',
      'x-request-id, retry-after, idempotency-replayed, last-event-id, x-resumable-stream-id, etag, stream-next-offset, stream-cursor, stream-up-to-date, stream-closed',
    ],
    ['access-control-max-age', '600'],
  ];
}
