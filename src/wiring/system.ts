// What the server tells of itself: its version, what it can do, and the checks of whether it is well.
import type { OwnAddress } from '../groups/base-url.ts';
import { scriptedOnly } from '../groups/demo/first-run.ts';
import type { HealthCheck } from '../groups/system/readiness.ts';
import type { Clock } from '../kernel/clock.ts';
import type { ServerState } from '../ports/server-state.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { version } from '../version.ts';
import type { OpenModels } from './models.ts';
import type { People } from './people.ts';
import type { openSandboxes } from './sandboxes.ts';
import type { Settings } from './settings.ts';
import type { Storage } from './storage.ts';

interface Deps {
  clock: Clock;
  metrics: Metrics;
  tenantId: number;
  people: Pick<People, 'policies'>;
  sandboxes: Pick<Awaited<ReturnType<typeof openSandboxes>>, 'driver'>;
  models: Pick<OpenModels, 'model'>;
  storage: Pick<Storage, 'kind' | 'db'>;
  state: Pick<ServerState, 'get'>;
  settings: Settings;
  address: OwnAddress;
  /** Of what is beside the document store and the models. */
  checks: readonly HealthCheck[];
  shuttingDown: () => boolean;
}

export const systemOf = (deps: Deps) => ({
  clock: deps.clock,
  registrationMode: async () => (await deps.people.policies.of(deps.tenantId)).registrationMode,
  metrics: deps.metrics,
  operatorTenantId: deps.tenantId,
  version,
  commit: null,
  features: () => [
    'runs',
    'streams',
    'openapi',
    'workspaces',
    ...(deps.sandboxes.driver.driver ? ['sandbox'] : []),
    ...(scriptedOnly(deps.models.model.defaultModelId()) ? ['scripted-only'] : []),
  ],
  ...deps.address,
  checks: [
    { name: `store (${deps.storage.kind})`, required: true, check: () => deps.storage.db.ping().then(() => null) },
    ...deps.checks,
    modelCheck(deps.models.model.defaultModelId()),
  ],
  shuttingDown: deps.shuttingDown,
  inMaintenance: () => deps.state.get('maintenance')?.on === true,
  settings: deps.settings,
});

/** Without a model runs play scripts: that is no fault, but worth saying. */
const modelCheck = (modelId: string): HealthCheck => ({
  name: 'model',
  required: false,
  check: async () =>
    scriptedOnly(modelId) ? 'None: runs play scripts. Connect one on the page Models, or set OPENAI_API_KEY.' : modelId,
});
