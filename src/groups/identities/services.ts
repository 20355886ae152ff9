// The services of identities with what they share.
import type { Engine } from '../../../runtime/engine.ts';
import type { Acting } from '../../auth/acting.ts';
import { type AuthCollections, keyRecord } from '../../auth/collections.ts';
import type { Ranks } from '../../auth/rank.ts';
import type { Clock } from '../../kernel/clock.ts';
import { createKeeper } from '../../ports/keeper.ts';
import type { Policies } from '../../ports/tenant-policy.ts';
import type { PerTenant } from '../../ports/tenanted.ts';
import { perTenant } from '../../ports/tenanted.ts';
import type { RunStatistics } from '../agent/analytics/statistics.ts';
import { createToolLayers, type ToolLayersDeps } from '../agent/briefings/tool-layers.ts';
import type { Roles } from '../agent/roles/roles.ts';
import type { FindRun } from '../agent/runs/find-run.ts';
import type { Awaiting } from './awaiting.ts';
import { createKeyMaker } from './key-maker.ts';
import { identityKeysService } from './keys-service.ts';
import { createPeople, type PeopleDeps } from './people.ts';
import { createPresenceStates } from './presence-states.ts';
import { createEffectiveTools } from './profiles/effective-tools.ts';
import { identityMessagingService, identityProfilesService, type ProfilesDeps } from './profiles/service.ts';
import { identitiesService } from './service.ts';
import { type SoulsDeps, soulsService } from './souls/service.ts';
import { createSoulVersions } from './souls/versions.ts';
import { soulVersionsService } from './souls/versions-service.ts';
import { createCeiling } from './swarm/ceiling.ts';
import { type ChildRun, createChildren } from './swarm/children.ts';
import { type CloningDeps, createCloning } from './swarm/cloning.ts';
import { createKnowing } from './swarm/knowing.ts';
import { swarmService } from './swarm/service.ts';
import { createSummaries } from './swarm/summary.ts';

export interface IdentityServicesDeps extends PeopleDeps {
  auth: AuthCollections;
  acting: Acting;
  ranks: Ranks;
  clock: Clock;
  engine: Pick<Engine, 'listTools'>;
  findRun: FindRun;
  getRun: ToolLayersDeps['getRun'];
  roles: Roles;
  profiles: ToolLayersDeps['profiles'] & ProfilesDeps['profiles'] & SoulsDeps['profiles'];
  runs: PerTenant<ChildRun>;
  statistics: RunStatistics;
  awaiting: Awaiting;
  unread: (tenantId: number, identityId: number) => number | Promise<number>;
  policies: Pick<Policies, 'ofWork'>;
  repairs: CloningDeps['repairs'];
  luggage: CloningDeps['luggage'];
}

export function createIdentityServices(deps: IdentityServicesDeps) {
  const { db, auth, clock, publisher, roles, profiles } = deps;
  const identities = perTenant(auth.identities);
  const versions = createSoulVersions(deps);
  const people = createPeople({ ...deps, souls: versions });
  const keys = createKeeper(keyRecord, deps);
  const ceiling = createCeiling({
    identities,
    clock,
    // The most live children that an identity may have, by its tenant and its unit.
    ceilingOf: async (tenantId, identityId) => (await deps.policies.ofWork({ tenantId, identityId })).swarmChildCeiling,
  });
  const effectiveTools = createEffectiveTools({
    ...deps,
    layers: createToolLayers({ ...deps, identities }),
    roleName: async (tenantId, id) => (await roles.find(tenantId, id))?.name ?? null,
  });
  return {
    people,
    services: [
      identitiesService({ ...deps, people, presence: createPresenceStates({ db, identities, publisher, clock }) }),
      identityKeysService({ ...deps, identities, users: perTenant(auth.users), keys }),
      identityProfilesService({ people, roles, profiles, effectiveTools }),
      identityMessagingService({ people }),
      soulsService({ people, roles, profiles }),
      soulVersionsService({ people, roles, versions }),
      swarmService({
        ...deps,
        people,
        ceiling,
        keys: createKeyMaker({ ...deps, keys }),
        children: createChildren({ ...deps, identities, ceiling }),
        cloning: createCloning({ ...deps, people }),
        summaries: createSummaries({ ...deps, identities, knowing: createKnowing(deps) }),
      }),
    ],
  };
}
