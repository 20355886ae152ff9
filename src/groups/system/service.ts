// Answers what the server is and how it is doing.
import type { Caller } from '../../contract/caller.ts';
import type { RegistrationMode } from '../../contract/enums.ts';
import { implement } from '../../contract/operation.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { createLoopLag } from '../../kernel/loop-lag.ts';
import { processMemory } from '../../kernel/process-memory.ts';
import { noteWrite } from '../../ports/audit.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import { type OwnAddress, reachedAt, socketAt } from '../base-url.ts';
import { system } from './contract.ts';
import type { SystemConfigDto } from './dto.ts';
import { type HealthCheck, readReadiness, stopsWork } from './readiness.ts';

export interface SystemDeps extends OwnAddress {
  clock: Clock;
  metrics: Metrics;
  /** Who may register. */
  registrationMode: () => Promise<RegistrationMode>;
  /** The first tenant, whose process this is. */
  operatorTenantId: number;
  version: string;
  commit: string | null;
  features: () => string[];
  checks: HealthCheck[];
  /** True while the server refuses new work. */
  shuttingDown: () => boolean;
  /** True while operators alone may change anything. */
  inMaintenance: () => boolean;
  settings: {
    show(prefix?: string): SystemConfigDto;
    /** @throws Fault VALIDATION_FAILED */
    change(values: Readonly<Record<string, string | null>>, byName: string): Promise<void>;
  };
}

export const systemService = implement(system, (deps: SystemDeps) => {
  const { clock, metrics } = deps;
  const [startedAt, begun] = [clock.now(), clock.steady()];
  const loop = createLoopLag();
  const nowUtc = () => new Date(clock.now()).toISOString();
  const uptimeSeconds = () => Math.floor((clock.steady() - begun) / 1000);

  const requireOperator = (caller: Caller, what: string) => {
    if (caller.tenantId !== deps.operatorTenantId)
      throw new Fault('FORBIDDEN', `${what} are its operator’s.`, { hint: 'Ask with a key of the first tenant.' });
  };

  return {
    info: async ({ request }) => ({
      name: 'Rivulet',
      version: deps.version,
      commit: deps.commit,
      apiVersion: 'v1',
      nodeVersion: process.version,
      setupRequired: false,
      registrationMode: await deps.registrationMode(),
      features: deps.features(),
      maintenanceMode: deps.inMaintenance(),
      realtimeUrl: `${socketAt(reachedAt(request, deps))}/api/ws`,
      socketIoPath: '/socket.io',
      serverTimeUtc: nowUtc(),
      startedAtUtc: new Date(startedAt).toISOString(),
      uptimeSeconds: uptimeSeconds(),
    }),
    health: () => ({
      status: 'Healthy' as const,
      version: deps.version,
      uptimeSeconds: uptimeSeconds(),
      eventLoopLagMs: Math.round(loop.p99Ms() * 100) / 100,
      memoryRssBytes: processMemory().rss,
      checkedAtUtc: nowUtc(),
    }),
    ready: async () => {
      if (deps.shuttingDown())
        throw new Fault('SHUTTING_DOWN', 'This server is shutting down.', {
          hint: 'Use another node, or try again in a moment.',
          retryAfterSeconds: 2,
        });
      const readiness = await readReadiness(deps);
      const failed = readiness.checks.find(stopsWork);
      if (failed)
        throw new Fault('NOT_READY', `${failed.name} is not ready: ${failed.detail}`, {
          hint: 'Check that it runs and can be reached.',
          retryAfterSeconds: 2,
        });
      return readiness;
    },
    config: ({ caller, query }) => {
      requireOperator(caller, 'The settings of the server');
      return deps.settings.show(query.prefix);
    },
    changeConfig: async ({ caller, body }) => {
      requireOperator(caller, 'The settings of the server');
      const named = { _id: 'settings', tenantId: caller.tenantId };
      const values = () => Object.fromEntries(deps.settings.show().entries.map(({ key, value }) => [key, value]));
      const before = { ...named, ...values() };
      await deps.settings.change(body.settings, caller.name);
      noteWrite(caller, { kind: 'settings', how: 'changed', doc: { ...named, ...values() }, before });
      return deps.settings.show();
    },
    metrics: async ({ caller, query }) => {
      requireOperator(caller, 'The figures of the process');
      const { mediaType, body } = await metrics.text(query.format);
      return { kind: 'file' as const, mediaType, body };
    },
  };
});
