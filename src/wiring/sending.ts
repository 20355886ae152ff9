// Opens what sends to other places and listens for that: webhooks, channels, and agents to those who wait for their tasks.
import { gateOf } from '../ports/queues.ts';
import type { ServerState } from '../ports/server-state.ts';
import { openA2a } from './a2a.ts';
import { openChannels } from './channels.ts';
import type { openHearing } from './hearing.ts';
import type { OpenRoutines } from './routines.ts';
import { openWebhooks } from './webhooks.ts';

type Needed = Parameters<typeof openWebhooks>[0] & Parameters<typeof openChannels>[0] & Parameters<typeof openA2a>[0];

export type OpenSending = Pick<ReturnType<typeof openSending>, 'webhooks' | 'channels' | 'a2a'>;

export function openSending(
  deps: Omit<Needed, 'gate' | 'routines'> & {
    state: ServerState;
    routines: OpenRoutines;
    hearing: ReturnType<typeof openHearing>;
  },
  keep: <T extends { close(): Promise<unknown> }>(part: T) => T,
) {
  const { state, hearing, routines } = deps;
  const webhooks = keep(openWebhooks({ ...deps, gate: gateOf(state, 'webhooks') }));
  const channels = keep(openChannels({ ...deps, gate: gateOf(state, 'channels') }));
  const a2a = keep(openA2a({ ...deps, gate: gateOf(state, 'webhooks') }));
  keep(hearing.listen(routines, webhooks, channels, a2a));
  return { webhooks, channels, a2a };
}
