// Whether the server can work: its dependencies, each looked at.
import type { Clock } from '../../kernel/clock.ts';
import type { HealthCheckDto, SystemReadinessDto } from './dto.ts';

/** One dependency of the server; `check` throws when it cannot be used. */
export interface HealthCheck {
  name: string;
  required: boolean;
  /** Resolves to a detail worth showing, or null; with a state, where it can be used and is not well. */
  check(): Promise<string | null | Look>;
}

type Look = Pick<HealthCheckDto, 'state' | 'detail'>;

interface Deps {
  checks: readonly HealthCheck[];
  clock: Clock;
  /** True while the server refuses new work. */
  shuttingDown: () => boolean;
  inMaintenance: () => boolean;
}

/** Milliseconds that one health check may take. */
const checkTimeoutMs = 2000;

export const stopsWork = ({ required, state }: HealthCheckDto) => required && state === 'Unhealthy';

/** Looks at every dependency, all at once. */
export async function readReadiness({ checks, clock, shuttingDown, inMaintenance }: Deps): Promise<SystemReadinessDto> {
  const looked = await Promise.all(checks.map((check) => run(check, clock)));
  const failed = looked.some(stopsWork);
  return {
    ready: !failed && !shuttingDown(),
    status: failed ? 'Unhealthy' : looked.every(({ state }) => state === 'Healthy') ? 'Healthy' : 'Degraded',
    maintenanceMode: inMaintenance(),
    checks: looked,
    checkedAtUtc: new Date(clock.now()).toISOString(),
  };
}

async function run({ name, required, check }: HealthCheck, clock: Clock): Promise<HealthCheckDto> {
  const started = performance.now();
  const abort = new AbortController();
  try {
    const late = clock.sleep(checkTimeoutMs, abort.signal).then(() => Promise.reject(new Error('no answer in time')));
    const found = await Promise.race([late, Promise.resolve().then(check)]);
    const look: Look = typeof found === 'object' && found !== null ? found : { state: 'Healthy', detail: found };
    return { name, ...look, required, latencyMs: Math.round((performance.now() - started) * 100) / 100 };
  } catch (error) {
    return {
      name,
      state: 'Unhealthy',
      required,
      latencyMs: null,
      detail: error instanceof Error ? error.message : 'failed',
    };
  } finally {
    abort.abort();
  }
}
