// Maintenance mode: nobody but operators changes anything, and no queue but that of maintenance is worked.
import type { Task } from '../../groups/maintenance/tasks.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { ServerState } from '../../ports/server-state.ts';

interface Deps {
  state: ServerState;
  clock: Clock;
}

export function modeTasks({ state, clock }: Deps): Record<'EnterMaintenanceMode' | 'ExitMaintenanceMode', Task> {
  return {
    EnterMaintenanceMode: {
      scope: 'server',
      takes: ['message'],
      work: async ({ message }) => {
        const now = new Date(clock.now()).toISOString();
        const result = await state.change('maintenance', (old) => ({
          ...{ on: true, message },
          sinceUtc: (old?.on && old.sinceUtc) || now,
        }));
        return { processed: 1, result };
      },
    },
    ExitMaintenanceMode: {
      scope: 'server',
      takes: [],
      work: async () => {
        const result = await state.change('maintenance', () => ({ on: false, message: null, sinceUtc: null }));
        return { processed: 1, result };
      },
    },
  };
}
