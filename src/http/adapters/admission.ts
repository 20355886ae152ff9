// Decides on an upgrade; whatever goes wrong is a refusal.
import type { Refusal, WebSocketRoute } from '../adapter.ts';
import { checkHeaders } from './head.ts';

const failed: Refusal = { status: 500, headers: [], body: '' };

/** The route's decision: a refusal, or null to let the socket in. Never throws. */
export function decide(route: WebSocketRoute, request: Parameters<WebSocketRoute['admit']>[0]): Refusal | null {
  try {
    const refusal = route.admit(request);
    if (refusal) checkHeaders(refusal.headers);
    return refusal;
  } catch {
    return failed;
  }
}
