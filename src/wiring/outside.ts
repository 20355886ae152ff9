// Opens the door to other servers, with the vault that seals what is shown there.
import type { Config } from '../config.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Logger } from '../kernel/logger.ts';
import { createVault } from '../kernel/vault.ts';
import { createDoor } from '../outside/door.ts';
import type { Outside } from '../outside/outside.ts';
import type { Programs } from '../ports/programs.ts';
import type { Policies } from '../ports/tenant-policy.ts';
import { reachBy } from './models.ts';

interface Deps {
  config: Config;
  operatorTenantId: number;
  policies: Policies;
  clock: Clock;
  log: Logger;
  /** Where this machine reaches the server. */
  localUrl(): string;
  places: { sandboxes: { programs: Programs } };
}

export function openOutside(deps: Deps): Outside {
  const { config, operatorTenantId, policies, clock, log, localUrl, places } = deps;
  const reachOf = reachBy(config.privateConnectors, operatorTenantId, policies);
  return {
    programs: places.sandboxes.programs,
    door: createDoor({ reachOf, policies, clock, log: log.child({ domain: 'Connector' }) }),
    vault: createVault({ ...config, purpose: 'connectors' }),
    publicUrl: () => config.publicUrl,
    localUrl,
    foldersOf: (tenantId) => (tenantId === operatorTenantId ? config.connectorFolders : []),
  };
}
