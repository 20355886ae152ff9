// Opens the hearing of events: those who wait for them listen once they are open, and what a crash left is taken up.
import { createHearing, type Hearing } from '../groups/hearing.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { createRounds } from '../kernel/rounds.ts';
import type { OpenA2a } from './a2a.ts';
import type { OpenChannels } from './channels.ts';
import type { OpenRoutines } from './routines.ts';
import type { Storage } from './storage.ts';
import type { OpenWebhooks } from './webhooks.ts';

interface Deps {
  storage: Storage;
  clock: Clock;
  log: Logger;
}

/** Interval in ms of the look for events that were left by who died. */
const lookEveryMs = 5000;

export function openHearing({ storage, clock, log }: Deps) {
  const hearing = createHearing({ db: storage.db, clock, log, alone: storage.kind !== 'MongoDB' });
  const rounds = createRounds({ clock, log });
  const watching: OpenRoutines['see'][] = [];
  return {
    hear: ((event) => {
      for (const see of watching) see(event);
      return hearing.hear(event);
    }) satisfies Hearing['hear'] as Hearing['hear'],
    /** Calls `see` with each event, before those who wait for it hear of it. */
    watch(see: OpenRoutines['see']): void {
      watching.push(see);
    },
    /** Answers what is to be closed before those who listen are. */
    listen(
      routines: OpenRoutines,
      webhooks: OpenWebhooks,
      channels: OpenChannels,
      a2a: OpenA2a,
    ): { close(): Promise<void> } {
      watching.push(routines.see);
      hearing.listen(routines.wakes, webhooks.outbox, channels.outbox, channels.outbox.answers, a2a.ear);
      return {
        close: async () => {
          await rounds.close();
          await hearing.close();
        },
      };
    },
    /** Begins; call it when all who listen work. */
    async run(): Promise<void> {
      await hearing.takeUp();
      rounds.start({ name: 'events that something waits for', everyMs: lookEveryMs, work: hearing.look });
    },
  };
}
