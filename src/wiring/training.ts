// Opens training: the trainer that the settings name, and the work on training runs.
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { addressOf, type OwnAddress } from '../groups/base-url.ts';
import { trainingOf } from '../groups/mirror/training/kit.ts';
import { createWebhookTrainer } from '../groups/mirror/training/webhook-trainer.ts';
import { createTrainingWork } from '../groups/mirror/training/work.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { guardedSends } from '../kernel/reach.ts';
import { createRounds } from '../kernel/rounds.ts';
import type { Policies } from '../ports/tenant-policy.ts';
import type { Trainer } from '../ports/trainer.ts';
import { createCommandTrainer } from '../run-places/command-trainer.ts';
import { type OpenModels, reachOf } from './models.ts';
import type { OpenSandboxes } from './sandboxes.ts';
import type { Storage } from './storage.ts';
import type { OpenStreams } from './streams.ts';

interface Deps {
  config: Config;
  storage: Storage;
  streams: OpenStreams;
  models: Pick<OpenModels, 'router'>;
  sandboxes: Pick<OpenSandboxes, 'driver' | 'limitsOfTrainer'>;
  policies: Policies;
  tenantId: number;
  nodeId: string;
  address: OwnAddress;
  clock: Clock;
  log: Logger;
}

/** Interval in ms of the look for training runs. */
const lookEveryMs = 1000;

export function openTraining(deps: Deps) {
  const { storage, streams, models, nodeId, clock, log } = deps;
  const kit = trainingOf({ ...storage, clock, publisher: streams.publisher, routesChanged: models.router.changed });
  const work = createTrainingWork({
    ...{ ...kit, clock, log, nodeId, trainer: trainerOf(deps, kit.every) },
    alone: storage.kind !== 'MongoDB',
  });
  const rounds = createRounds({ clock, log });
  return {
    async run(): Promise<void> {
      await work.takeUp();
      rounds.start({ name: 'training runs', everyMs: lookEveryMs, work: work.round });
    },
    async close(): Promise<void> {
      await rounds.close();
      await work.close();
    },
  };
}

type Every = ReturnType<typeof trainingOf>['every'];

function trainerOf(
  { config, storage, sandboxes, policies, tenantId, address, clock }: Deps,
  every: Every,
): Trainer | null {
  const { trainer } = config;
  if (trainer === null) return null;
  if (trainer.kind === 'command') {
    const folder = join(config.dataDir, 'training');
    return createCommandTrainer({
      command: trainer.command,
      driver: sandboxes.driver,
      folder,
      limits: sandboxes.limitsOfTrainer,
      clock,
    });
  }
  return createWebhookTrainer({
    ...{ url: trainer.url, secret: trainer.secret, sendOf: guardedSends(reachOf(config, tenantId, policies)) },
    ...{ signer: storage.signer, every, publicUrl: () => addressOf(address), clock },
  });
}
