// A task as a stream: what it is now, then what its agent says and how its state changes, until it rests.
import type { StreamResponse, Task } from '@a2a-js/sdk';
import type { Follower } from '../../ports/stream.ts';
import { runParts, runPartTypes } from '../agent/runs/run-parts.ts';
import type { A2aBook } from './book.ts';
import type { A2aTaskDoc } from './record.ts';
import { artifact, hasEnded, isResting, type Standing, stateOf } from './tasks.ts';

interface Deps {
  book: Pick<A2aBook, 'standingOf' | 'tasks' | 'shown'>;
  follower: Follower;
}

interface Wanted {
  standing: Standing;
  historyLength?: number | undefined;
  /** Events from this time on, in ms: those before are in what the task is now. */
  since: number;
  /** Which states end it. */
  isLast: typeof isResting;
  signal: AbortSignal;
}

export function createFollowing({ book, follower }: Deps) {
  const read = async ({ tenantId, _id }: A2aTaskDoc): Promise<Standing | null> => {
    const task = await book.tasks(tenantId).findOne({ _id });
    return task && book.standingOf(task);
  };

  /** Resolves with how the task stands once its run rests, or the signal is aborted. */
  async function rest(begun: Standing, since: number, signal: AbortSignal): Promise<Standing> {
    const { id, tenantId } = begun.run;
    let now = (await read(begun.task)) ?? begun;
    if (isResting(stateOf(now.run))) return now;
    const types = ['run.status', 'run.ended', 'run.deleted', 'escalation.raised'];
    for await (const _ of follower.follow({ tenantId, topic: `run:${id}`, lastEventId: null, since, types, signal })) {
      now = (await read(begun.task)) ?? now;
      if (isResting(stateOf(now.run))) break;
    }
    return now;
  }

  async function* follow({ standing, historyLength, since, isLast, signal }: Wanted): AsyncGenerator<StreamResponse> {
    const { run, task } = standing;
    yield { payload: { $case: 'task', value: await book.shown(standing, historyLength) } };
    let told = markOf(standing);
    if (isLast(stateOf(run))) return;
    const parts = runParts({ id: run.id, rootRunId: run.rootRunId, endsFrom: 0 });
    const words = wordsOf(task);
    const topic = `run:${run.id}`;
    const asked = { tenantId: run.tenantId, topic, lastEventId: null, since, types: [...runPartTypes], signal };
    for await (const event of follower.follow(asked)) {
      for (const part of parts(event)) yield* words(part);
      if (!changing.has(event.type)) continue;
      const now = await read(task);
      if (!now || markOf(now) === told) {
        if (!now || event.type === 'run.deleted') return;
        continue;
      }
      told = markOf(now);
      yield* tellState(now, await book.shown(now, 0));
      if (isLast(stateOf(now.run))) return;
    }
  }
  return { rest, follow };
}

const changing: ReadonlySet<string> = new Set([
  'run.status',
  'run.ended',
  'run.deleted',
  'escalation.raised',
  'escalation.updated',
  'escalation.resolved',
]);

/** Two that are the same need no telling. */
const markOf = ({ run, question }: Standing): string => `${stateOf(run)} ${question?.id ?? ''}`;

/** What is said, piece by piece, as the beginning of the result: words of a new step take the place of those before. */
function wordsOf({ _id: taskId, contextId }: A2aTaskDoc) {
  // Words of a step whose beginning was missed cannot be put together.
  let isWhole = false;
  let begun = false;
  return function* (part: { type: string; delta?: string }): Generator<StreamResponse> {
    if (part.type === 'step-start') {
      isWhole = true;
      begun = false;
    }
    if (part.type !== 'text' || !part.delta || !isWhole) return;
    const piece = artifact([{ content: { $case: 'text', value: part.delta }, ...plain }]);
    const value = { taskId, contextId, artifact: piece, append: begun, lastChunk: false, metadata: undefined };
    begun = true;
    yield { payload: { $case: 'artifactUpdate', value } };
  };
}
const plain = { metadata: undefined, filename: '', mediaType: 'text/plain' };

/** A state with what belongs to it: the whole result before the end. */
function* tellState({ run }: Standing, task: Task): Generator<StreamResponse> {
  const { id: taskId, contextId, status, artifacts } = task;
  if (hasEnded(stateOf(run)))
    for (const whole of artifacts) {
      const value = { taskId, contextId, artifact: whole, append: false, lastChunk: true, metadata: undefined };
      yield { payload: { $case: 'artifactUpdate', value } };
    }
  yield { payload: { $case: 'statusUpdate', value: { taskId, contextId, status, metadata: undefined } } };
}
