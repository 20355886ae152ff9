// The run that a new server has to show while no model is configured: it plays a script, and says so.
import type { Engine } from '../../../runtime/engine.ts';
import type { SetupResult } from '../../auth/setup.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { FindRoleDefaults } from '../agent/runs/role-defaults.ts';
import { modelAt, tour } from './scenes.ts';

const role = 'worker';

/** True when nothing but scripts can answer: the dashboard then says how to plug in a model. */
export const scriptedOnly = (defaultModelId: string): boolean => defaultModelId.startsWith('scripted:');

interface Deps {
  engine: Pick<Engine, 'create'>;
  roleDefaults: FindRoleDefaults;
  setup: SetupResult;
  defaultModelId: string;
  log: Logger;
}

/**
 * Starts the demo run on a first boot that a person will look at: one whose key was made here. Where the environment
 * gives a key, a program is in charge and finds the server empty. However often the first boot is repeated, it is one run.
 */
export async function startDemoRun({ engine, roleDefaults, setup, defaultModelId, log }: Deps): Promise<void> {
  const { tenantId, administrator, firstBoot } = setup;
  if (!firstBoot?.adminKey || !scriptedOnly(defaultModelId)) return;
  try {
    await engine.create({
      role,
      ...(await roleDefaults(tenantId, { id: null, name: role })),
      tenantId,
      goal: tour.goal,
      modelId: modelAt(tour.script, 1),
      identityId: administrator._id,
      identityName: administrator.name,
      autoStart: true,
      idempotencyKey: `${tenantId}:first-demo`,
    });
  } catch (error) {
    log.warn({ err: error }, error instanceof Fault ? error.message : 'the demo run could not be started');
  }
}
