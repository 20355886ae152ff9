// Invariants of every run and tree once a world has come to rest.
import { expect } from 'vitest';
import type { RunRecord } from '../records.ts';
import { hasEnded } from '../state/run.ts';
import type { World } from './world.ts';

/** Checks a world at rest against all invariants of the engine. */
export function judge(world: World, roots: readonly number[]): void {
  const { disk } = world.memory;
  const runs = [...disk.runs.values()];
  const stuck = runs
    .filter((run) => !hasEnded(run.status))
    .map(
      (run) =>
        `${run.id} ${run.status} owner=${run.owner} runnable=${run.runnable} ${JSON.stringify(run.waiting)} ${JSON.stringify(run.control)}`,
    );
  expect(stuck).toEqual([]);
  for (const run of runs) judgeRun(world, run);
  for (const root of roots) {
    const tree = disk.trees.get(root)!;
    const members = runs.filter((run) => run.rootRunId === root);
    expect(tree.holds).toEqual({});
    expect(tree.stopping).toEqual([]);
    expect(tree.tokensUsed).toBe(members.reduce((sum, run) => sum + run.tokensUsed + run.writtenOffTokens, 0));
    for (const run of members) {
      expect(tree.members.get(run.id)).toMatchObject({ ended: true, active: false, tokens: run.tokensUsed });
    }
    expect(
      world.sink.emissions.filter(
        (one) => one.type === 'tree.quiesced' && (one.data as { rootRunId: number }).rootRunId === root,
      ).length,
    ).toBeGreaterThan(0);
  }
}

function judgeRun(world: World, run: RunRecord) {
  const { disk } = world.memory;
  const events = disk.events.get(run.id) ?? [];
  expect(events.map((event) => event.seq)).toEqual(events.map((_, at) => at + 1));
  const told = world.sink
    .on(`run:${run.id}`)
    .filter((one) => one.type === 'run.event')
    .map((one) => (one.data as { seq: number }).seq);
  expect([...told].sort((a, b) => a - b)).toEqual(events.map((event) => event.seq));
  expect(run).toMatchObject({ unfinished: false, owner: null, settlements: [], duties: [] });
  const log = (disk.messages.get(run.id) ?? []).map((entry) => entry.message);
  const injected = log.flatMap((message) =>
    message.role === 'user' && typeof message.content === 'string'
      ? (/^\[Result of a child run\] Run (\d+) .* is (?:Completed|Failed|Cancelled|TimedOut)/.exec(
          message.content,
        )?.[1] ?? [])
      : [],
  );
  expect(new Set(injected).size).toBe(injected.length);
  // Each model call has exactly one result, in its place.
  for (const [at, message] of log.entries()) {
    if (message.role !== 'assistant' || !message.toolCalls || at === log.length - 1) continue;
    const results = log
      .slice(at + 1, at + 1 + message.toolCalls.length)
      .map((one) => (one.role === 'tool' ? one.toolCallId : null));
    expect(results).toEqual(message.toolCalls.map((call) => call.id));
  }
  if (run.parentRunId !== null) {
    const parent = disk.runs.get(run.parentRunId)!;
    const heard = parent.seen.includes(`child:${run.id}:${run.restarts}`);
    expect(heard || hasEnded(parent.status)).toBe(true);
  }
}
