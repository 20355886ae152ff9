// What is refused in maintenance mode: all that changes something, but for operators and for what they need.
import type { HttpAppOptions } from '../../http/options.ts';
import { Fault } from '../../kernel/fault.ts';
import type { ServerState } from '../../ports/server-state.ts';

/** Groups whose operations go on: people sign in and out, and operators end it. */
const open = /^(Auth|System|Maintenance|Infrastructure|Session)_/;

export const closedBy =
  (state: Pick<ServerState, 'get'>, operatorTenantId: number): NonNullable<HttpAppOptions['closed']> =>
  ({ id, operation, caller }) => {
    const mode = state.get('maintenance');
    if (!mode?.on || operation.method === 'GET' || operation.signsIn || open.test(id)) return;
    if (caller?.tenantId === operatorTenantId && caller.permissions.has('SystemWrite')) return;
    throw new Fault('MAINTENANCE_MODE', mode.message ?? 'The server is being maintained: nothing can be changed now.', {
      hint: 'What is there can be read. Try again later.',
      retryAfterSeconds: 60,
    });
  };
