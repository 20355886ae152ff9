// The leases and waits of the server that a clock that was ahead may have set, and their mending from time to time.
import { a2aDeliverySpec } from '../groups/a2a/record.ts';
import { channelDeliveryRecord } from '../groups/channels/record.ts';
import { connectorRecord } from '../groups/connectors/record.ts';
import { demoSpec } from '../groups/demo/record.ts';
import { experimentRecord } from '../groups/evaluations/record.ts';
import { heardSpec } from '../groups/hearing.ts';
import { presenceSpec } from '../groups/identities/presence-states.ts';
import { importRecord } from '../groups/import/record.ts';
import { maintenanceRecord } from '../groups/maintenance/record.ts';
import { datasetRecord } from '../groups/mirror/datasets/record.ts';
import { trainingRunRecord } from '../groups/mirror/training/record.ts';
import { siteBuildRecord } from '../groups/site-builds/record.ts';
import { taskRecord } from '../groups/tasks/record.ts';
import { deliveryRecord } from '../groups/webhooks/record.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { createRounds } from '../kernel/rounds.ts';
import { waiting } from '../outside/deliveries/outbox.ts';
import type { Db } from '../ports/db.ts';
import { mendStamps, type Stamp } from '../ports/stamps.ts';
import { mendTimeouts } from '../stores/runs/escalation-timeouts.ts';

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000];
const everyMs = minute;

/** An attempt that is under way names its delivery by its stamp, which is left alone for a day. */
const deliveries = (collection: Stamp['collection']): Stamp[] => [
  { collection, field: 'due', longestMs: day + 3 * hour, where: { status: { $in: waiting } } },
  { collection, field: 'due', longestMs: 2 * day },
];

export const stamps: readonly Stamp[] = [
  ...deliveries(deliveryRecord.spec),
  ...deliveries(channelDeliveryRecord.spec),
  ...deliveries(a2aDeliverySpec),
  { collection: heardSpec, field: 'due', longestMs: hour },
  { collection: presenceSpec, field: 'until', longestMs: minute },
  { collection: connectorRecord.spec, field: 'renewedUntil', longestMs: minute },
  { collection: importRecord.spec, field: 'due', longestMs: minute },
  { collection: maintenanceRecord.spec, field: 'leaseUntil', longestMs: minute, where: { state: 'Running' } },
  { collection: trainingRunRecord.spec, field: 'leaseUntil', longestMs: minute },
  { collection: trainingRunRecord.spec, field: 'due', longestMs: day },
  { collection: datasetRecord.spec, field: 'lockedUntil', longestMs: 3 * minute },
  { collection: demoSpec, field: 'heldUntil', longestMs: minute },
  { collection: experimentRecord.spec, field: 'heldUntil', longestMs: 2 * minute, where: { isOpen: true } },
  { collection: taskRecord.spec, field: 'claimExpiresAt', longestMs: 7 * day },
  { collection: siteBuildRecord.spec, field: 'leaseUntil', longestMs: hour, where: { status: 'Building' } },
];

/** Mends stamps now and every minute. */
export async function keepStampsRight({ db, clock, log }: { db: Db; clock: Clock; log: Logger }) {
  const work = async () => {
    const mended = (await mendStamps({ db, clock }, stamps)) + (await mendTimeouts({ db, clock }));
    if (mended > 0) log.warn({ mended }, 'leases and waits that a clock had set too far ahead were set anew');
  };
  await work();
  const rounds = createRounds({ clock, log });
  rounds.start({ name: 'what a clock has set too far ahead', everyMs, work });
  return rounds;
}
