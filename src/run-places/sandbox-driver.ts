// The driver of sandboxes that works on this machine.
import { join } from 'node:path';
import { createBwrapDriver } from '../../sandbox/drivers/bwrap/driver.ts';
import { chooseDriver, type SandboxSetting } from '../../sandbox/drivers/choose-driver.ts';
import { createDockerDriver } from '../../sandbox/drivers/docker/driver.ts';
import type { Clock } from '../kernel/clock.ts';
import type { SandboxSettings } from './sandbox-settings.ts';

interface Where {
  /** Folder of what drivers keep; sandboxes that try a driver are made in it. */
  directory: string;
  docker: SandboxSettings['docker'];
  clock: Clock;
}

export function openDriver(setting: SandboxSetting, { directory, docker: { socket, image }, clock }: Where) {
  const engine = { ...(socket === undefined ? {} : { sockets: [socket] }), ...(image === undefined ? {} : { image }) };
  return chooseDriver(setting, [
    createDockerDriver({ directory: join(directory, 'docker'), clock, ...engine }),
    createBwrapDriver({ directory: join(directory, 'bwrap'), clock }),
  ]);
}
