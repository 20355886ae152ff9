// What agents publish over their sockets: how far they are with a run of theirs.
import { z } from 'zod';
import type { Engine } from '../../../../runtime/engine.ts';
import type { RunRecord } from '../../../../runtime/records.ts';
import { hasEnded } from '../../../../runtime/state/run.ts';
import type { Caller } from '../../../contract/caller.ts';
import { problemsOf } from '../../../contract/problems.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Publisher } from '../../../ports/stream.ts';
import type { FindRun } from './find-run.ts';

interface Deps {
  findRun: FindRun;
  addEvents: Engine['addEvents'];
  publisher: Publisher;
}

export interface Published {
  topic: string;
  type: string;
  data: Record<string, unknown>;
}

const Progress = z.strictObject({
  message: z.string().trim().min(1).max(4000),
  title: z.string().trim().min(1).max(200).default('Progress'),
  payload: z.record(z.string(), z.unknown()).optional(),
});

const Delta = z.strictObject({
  delta: z.string().min(1).max(16_384),
  kind: z.enum(['Content', 'Reasoning']).default('Content'),
  toolCallId: z.string().max(200).nullable().default(null),
});

/**
 * Takes a client's `Publish`: `run.event` is kept in the run's log and becomes its progress, `run.delta` only passes by.
 *
 * @throws Fault FORBIDDEN, OWNERSHIP_REQUIRED, NOT_FOUND, INVALID_TRANSITION, VALIDATION_FAILED
 */
export function createSocketProgress({ findRun, addEvents, publisher }: Deps) {
  const owned = async (caller: Caller, topic: string): Promise<RunRecord> => {
    const id = /^run:(\d{1,16})$/.exec(topic)?.[1];
    if (!id)
      throw new Fault('FORBIDDEN', `Nobody publishes to ${topic} over a socket.`, {
        hint: 'Publish to run:{runId} of a run of yours.',
      });
    if (!caller.permissions.has('RunsWrite'))
      throw new Fault('FORBIDDEN', 'Publishing needs the permission RunsWrite.', { hint: 'Use a key that has it.' });
    const run = await findRun(caller, Number(id));
    if (run.identityId !== caller.identityId)
      throw new Fault('OWNERSHIP_REQUIRED', `Run ${id} is not a run of this identity.`, {
        hint: `Connect with a key of identity ${run.identityId}.`,
      });
    if (hasEnded(run.status))
      throw new Fault('INVALID_TRANSITION', `Run ${id} is ${run.status}.`, {
        hint: 'Nothing follows the end of a run.',
      });
    return run;
  };

  return async (caller: Caller, { topic, type, data }: Published): Promise<void> => {
    const run = await owned(caller, topic);
    if (type === 'run.event') {
      const { message, title, payload } = parse(Progress, data);
      const event = { type: 'ProgressUpdated' as const, title, message, ...(payload ? { payload } : {}) };
      await addEvents(run.id, [event], { progressSummary: message });
    } else if (type === 'run.delta') {
      const { id: runId, rootRunId, iterationsUsed: iteration, tenantId } = run;
      const delta = { runId, rootRunId, iteration, index: 0, modelId: null, ...parse(Delta, data) };
      await publisher.publish({ tenantId, topics: [topic, `run-tree:${rootRunId}`], type, data: delta });
    } else {
      throw new Fault('FORBIDDEN', `${type || 'This'} is no type that agents publish.`, {
        hint: 'Publish run.event with {"message":…}, or run.delta with {"delta":…}.',
      });
    }
  };
}

function parse<T>(schema: z.ZodType<T>, data: unknown): T {
  const parsed = schema.safeParse(data);
  if (parsed.success) return parsed.data;
  const { said } = problemsOf(parsed.error, data, 'data', 'data.');
  throw new Fault('VALIDATION_FAILED', `What is published is not valid: ${said}.`, {
    hint: 'run.event takes message, title and payload; run.delta takes delta, kind and toolCallId.',
  });
}
