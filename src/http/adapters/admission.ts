// Decides on an upgrade in bounded time; whatever goes wrong is a refusal.
import type { Clock } from '../../kernel/clock.ts';
import type { Refusal, WebSocketRoute } from '../adapter.ts';
import { checkHeaders } from './head.ts';
import { admitDeadlineMs } from './limits.ts';

const failed: Refusal = { status: 500, headers: [], body: '' };

/** The route's decision: a refusal, or null to let the socket in. Never rejects. */
export async function decide(
  route: WebSocketRoute,
  request: Parameters<WebSocketRoute['admit']>[0],
  clock: Clock,
): Promise<Refusal | null> {
  let stop = () => {};
  const late = new Promise<Refusal>((resolve) => {
    stop = clock.after(admitDeadlineMs, () => resolve(failed));
  });
  try {
    const refusal = await Promise.race([route.admit(request), late]);
    if (refusal) checkHeaders(refusal.headers);
    return refusal;
  } catch {
    return failed;
  } finally {
    stop();
  }
}
