// A small world for engine tests: a disk, a simulated clock, a scripted model and engines that can be started and
// killed.
import { silentLogger } from '../../src/kernel/logger.ts';
import { SimulatedClock } from '../../src/kernel/simulated-clock.ts';
import { createEngine, type Engine } from '../engine.ts';
import type { ModelRequest } from '../model.ts';
import type { Ports, RunSignal, Signals, ToolDefinition } from '../ports.ts';
import type { RunRecord } from '../records.ts';
import type { RunDraft } from '../systems/life/new-run.ts';
import type { EngineOptions } from '../systems/records/core.ts';
import { createMemorySink } from './memory-sink.ts';
import { type Connection, type Crash, createMemoryDisk } from './memory-store.ts';
import { createScriptedModel, type ScriptedTurn } from './scripted-model.ts';

export interface WorldOptions {
  script?: (request: ModelRequest, call: number) => ScriptedTurn;
  tools?: ToolDefinition[];
  options?: Partial<EngineOptions>;
  ports?: Partial<Ports>;
  limits?: { contextTokens: number; maxOutputTokens: number };
  /** True when several nodes live at once and exchange signals. */
  shared?: boolean;
}

export interface Node {
  engine: Engine;
  store: Connection;
}

/** A world in which time stands still until moved. */
export function createWorld(options: WorldOptions = {}) {
  const clock = new SimulatedClock();
  const memory = createMemoryDisk();
  const sink = createMemorySink();
  const model = createScriptedModel(clock, options.script ?? (() => ({ text: 'Done.' })), options.limits);
  let nextId = 1;
  const ids = { next: async () => nextId++ };
  const signals = createSignalBus();

  const boot = async (crash?: Crash, latency?: () => Promise<void> | undefined): Promise<Node> => {
    let running: Engine | null = null;
    const store = memory.connect({
      ...(crash ? { crash } : {}),
      ...(latency ? { latency } : {}),
      onCrash: () => void running,
    });
    const dead = () => store.dead;
    const engine = createEngine(
      {
        store,
        // A dead process publishes nothing any more.
        sink: { publish: (batch) => (dead() ? new Promise(() => {}) : sink.publish(batch)) },
        model: {
          ...model,
          stream: (request) => (dead() ? silence() : model.stream(request)),
        },
        clock,
        log: silentLogger,
        ids,
        tools: { forRun: () => options.tools ?? [], all: () => options.tools ?? [] },
        ...(options.shared ? { signals } : {}),
        ...options.ports,
      },
      { soleOwner: !options.shared, ...options.options },
    );
    running = engine;
    void engine.run();
    await clock.advance(0);
    return { engine, store };
  };

  return {
    clock,
    memory,
    sink,
    model,
    boot,
    draft: (more: Partial<RunDraft> = {}): RunDraft => ({
      tenantId: 1,
      identityId: 1,
      goal: 'Do it.',
      autoStart: true,
      ...more,
    }),
    run: (id: number): RunRecord => {
      const run = memory.disk.runs.get(id);
      if (!run) throw new Error(`no run ${id}`);
      return run;
    },
    /** Moves time in small steps until `done`; fails after `limitMs` of simulated time. */
    async until(done: () => boolean, limitMs = 600_000, stepMs = 100) {
      for (let passed = 0; !done(); passed += stepMs) {
        if (passed > limitMs) throw new Error('it did not happen in time');
        await clock.advance(stepMs);
      }
    },
  };
}
export type World = ReturnType<typeof createWorld>;

/** Delivers each node's signals to all nodes. */
function createSignalBus(): Signals {
  const listeners = new Set<(signal: RunSignal) => void>();
  return {
    send: (signal) =>
      queueMicrotask(() => {
        for (const listener of listeners) listener(signal);
      }),
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

async function* silence() {
  await new Promise(() => {});
}
