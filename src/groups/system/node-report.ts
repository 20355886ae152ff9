// Says at a steady beat how this node and what it stands on are, to those who follow the system.
import { hostname, loadavg } from 'node:os';
import type { Clock } from '../../kernel/clock.ts';
import { createLoopLag } from '../../kernel/loop-lag.ts';
import { memoryLimit } from '../../kernel/memory-limit.ts';
import { processMemory } from '../../kernel/process-memory.ts';
import type { InfraNodeDto } from './dto.ts';
import { type HealthCheck, readReadiness } from './readiness.ts';

interface Deps {
  streams: {
    /** Tells those who follow the system; the payload is made only where somebody does. */
    tell(tenantId: number, type: 'system.node' | 'system.health', payload: () => unknown): void;
    gauges(): { connections: number; eventStreams: number };
  };
  version: string;
  clock: Clock;
  nodeId: string;
  tenantId: number;
  activeRuns: () => number;
  /** Requests answered since the start. */
  requests: () => number;
  checks: readonly HealthCheck[];
  shuttingDown: () => boolean;
  inMaintenance: () => boolean;
  /** Deliveries and maintenance jobs at work. */
  activeJobs: () => number;
  /** Takes each report, for lists of nodes. */
  keep: (report: InfraNodeDto) => void;
}

const beatMs = 5000;

/** Publishes `system.node` and `system.health` now and at every beat. */
export function reportNode({ streams, clock, nodeId, tenantId, version, ...deps }: Deps): { close(): Promise<void> } {
  const startedAtUtc = new Date(clock.now()).toISOString();
  const loop = createLoopLag();
  let last = { at: clock.steady(), requests: deps.requests(), cpu: process.cpuUsage() };

  const describe = (): InfraNodeDto => {
    const now = clock.steady();
    const elapsedMs = Math.max(1, now - last.at);
    const { user, system } = process.cpuUsage(last.cpu);
    const requests = deps.requests();
    const { connections, eventStreams } = streams.gauges();
    const { rss, heapUsed } = processMemory();
    const report: InfraNodeDto = {
      nodeId,
      hostName: hostname(),
      pid: process.pid,
      role: 'AllInOne',
      version,
      state: deps.shuttingDown() ? 'Degraded' : 'Healthy',
      cpuPercent: round((user + system) / 10 / elapsedMs),
      loadAverage1m: round(loadavg()[0] ?? 0),
      memoryRssBytes: rss,
      memoryHeapBytes: heapUsed,
      memoryLimitBytes: memoryLimit(),
      eventLoopLagMs: round(loop.p99Ms()),
      openSockets: connections - eventStreams,
      sseStreams: eventStreams,
      activeRuns: deps.activeRuns(),
      activeJobs: deps.activeJobs(),
      requestsPerMinute: round(((requests - last.requests) * 60_000) / elapsedMs),
      startedAtUtc,
      lastHeartbeatAtUtc: new Date(clock.now()).toISOString(),
    };
    loop.reset();
    last = { at: now, requests, cpu: process.cpuUsage() };
    return report;
  };

  const beat = () => {
    const report = describe();
    deps.keep(report);
    streams.tell(tenantId, 'system.node', () => report);
    streams.tell(tenantId, 'system.health', () => readReadiness({ ...deps, clock }));
  };
  const stop = clock.every(beatMs, beat);
  beat();
  return {
    close: async () => {
      stop();
      loop.close();
    },
  };
}

const round = (value: number) => Math.round(value * 100) / 100;
