// The work on experiments: starts the runs of their cases within the budget, and scores what has ended. Each step may
// be made again after a crash: the run of a case is made once, by its key, and a case ends once.
import type { Model } from '../../../runtime/model.ts';
import type { RunRecord } from '../../../runtime/records.ts';
import { hasEnded } from '../../../runtime/state/run.ts';
import type { RunDraft } from '../../../runtime/systems/life/new-run.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Logger } from '../../kernel/logger.ts';
import type { Collection } from '../../ports/db.ts';
import { polled } from '../../ports/polled.ts';
import type { ExperimentScoreDto } from './dto.ts';
import type { CaseDoc, ExperimentDoc } from './record.ts';
import { scoreBy } from './scorers.ts';

export interface ExperimentWorkDeps {
  experiments: Collection<ExperimentDoc>;
  cases: Collection<CaseDoc>;
  model: Pick<Model, 'stream'>;
  clock: Clock;
  log: Pick<Logger, 'warn'>;
  nodeId: string;
  /** No other node can be at work on the store: what a dead process held is taken over at once. */
  alone: boolean;
  findRun(id: number): Promise<RunRecord | null>;
  /** Creates a run and starts it; the same key gives the same run. */
  createRun(draft: RunDraft): Promise<RunRecord>;
  cancelRun(id: number, reason: string): Promise<unknown>;
  /** US dollars that the tree of a run has spent. */
  costOf(run: RunRecord): Promise<number>;
  /** What the runs of a candidate work as. @throws Fault where they may not any more */
  staff(experiment: ExperimentDoc, role: string | null): Promise<Partial<RunDraft> & Pick<RunDraft, 'identityId'>>;
}

/** Milliseconds that a node holds an experiment for without a sign of life; a model's verdict takes less. */
const heldMs = 90_000;
const verdictMs = 60_000;

export function createExperimentWork(deps: ExperimentWorkDeps) {
  const { experiments, clock, log, nodeId, alone } = deps;

  /** Whether this node works on it now. */
  const hold = async ({ _id }: ExperimentDoc): Promise<ExperimentDoc | null> => {
    const now = clock.now();
    const free = alone ? {} : { $or: [{ heldBy: null }, { heldBy: nodeId }, { heldUntil: { $lt: new Date(now) } }] };
    const $set = { heldBy: nodeId, heldUntil: new Date(now + heldMs) };
    return experiments.findOneAndUpdate({ _id, ...free } as never, { $set }, { returnDocument: 'after' });
  };

  const findOpen = polled(experiments, () => experiments.find({ isOpen: true }, { sort: { _id: 1 } }).toArray());
  return {
    /** One step of each experiment that is running, or has runs to stop. */
    async round(): Promise<void> {
      for (const one of await findOpen()) {
        try {
          if (one.status !== 'Running') await stopRuns(deps, one);
          else {
            const held = await hold(one);
            if (held?.status === 'Running') await step(deps, held);
          }
        } catch (error) {
          log.warn({ err: error, experiment: one._id }, 'an experiment waits for the next round');
        }
      }
    },
  };
}

async function step(deps: ExperimentWorkDeps, experiment: ExperimentDoc): Promise<void> {
  const { cases } = deps;
  const of = { experimentId: experiment._id };
  const running = await cases.find({ ...of, status: 'Running' }).toArray();
  const ended = await Promise.all(running.map(async (one) => settle(deps, experiment, one)));
  const active = running.filter((_, at) => !ended[at]);
  const spent = await sum(deps, experiment);
  const slots = experiment.concurrency - active.length;
  if (slots <= 0) return;
  const next = await cases.find({ ...of, status: 'Pending' }, { sort: { _id: 1 }, limit: slots }).toArray();
  if (next.length === 0) {
    if (active.length > 0) return;
    if (await cases.findOne({ ...of, status: 'Skipped' })) return exhaust(deps, experiment);
    return finish(deps, experiment, 'Completed', null);
  }
  // What runs have is theirs until they end; the rest is shared by those that begin now.
  let left = experiment.maxCostUsd - spent - active.reduce((all, { capUsd }) => all + capUsd, 0);
  if (left <= leastUsd && active.length === 0) return exhaust(deps, experiment);
  for (const [at, one] of next.entries()) {
    const capUsd = left / (slots - at);
    if (capUsd <= leastUsd) return;
    left -= capUsd;
    if (!(await begin(deps, experiment, one, capUsd))) return;
  }
}

/** Below that no run is begun, US dollars. */
const leastUsd = 0.000_01;

/** Writes down what was spent, and says it. */
async function sum({ experiments, cases }: ExperimentWorkDeps, { _id }: ExperimentDoc): Promise<number> {
  const all = await cases.find({ experimentId: _id }, { projection: { costUsd: 1 } }).toArray();
  const costUsd = all.reduce((total, one) => total + one.costUsd, 0);
  await experiments.updateOne({ _id }, { $set: { costUsd } });
  return costUsd;
}

async function finish(
  { experiments, clock }: ExperimentWorkDeps,
  { _id }: ExperimentDoc,
  status: ExperimentDoc['status'],
  reason: string | null,
): Promise<void> {
  // One that failed may have runs to stop.
  const isOpen = status === 'Failed';
  const $set = { status, reason, isOpen, heldBy: null, heldUntil: null, updatedAt: new Date(clock.now()) };
  await experiments.updateOne({ _id, status: 'Running' }, { $set });
}

async function exhaust(deps: ExperimentWorkDeps, experiment: ExperimentDoc): Promise<void> {
  const open = { experimentId: experiment._id, status: 'Pending' as const };
  await deps.cases.updateMany(open, { $set: { status: 'Skipped' } });
  await finish(deps, experiment, 'BudgetExhausted', `The budget of $${experiment.maxCostUsd} is spent.`);
}

/** Trouble of the moment: the case waits for the next round. */
const passing: readonly string[] = ['STORE_UNAVAILABLE', 'SHUTTING_DOWN', 'NOT_READY', 'INTERNAL_ERROR'];

/** Starts the run of a case. False where nothing more begins. */
async function begin(deps: ExperimentWorkDeps, experiment: ExperimentDoc, one: CaseDoc, capUsd: number) {
  const { cases, clock } = deps;
  const { tenantId, projectId, candidates, maxMinutesPerCase } = experiment;
  const candidate = candidates.find(({ name }) => name === one.candidate);
  try {
    const run = await deps.createRun({
      ...(await deps.staff(experiment, candidate?.role ?? null)),
      ...{ tenantId, projectId, goal: one.input, poolCostBudgetUsd: capUsd, autoStart: true },
      ...(candidate?.modelId && { modelId: candidate.modelId }),
      treeDeadlineAt: clock.now() + maxMinutesPerCase * 60_000,
      idempotencyKey: `experiment case ${one._id}.${one.attempt}`,
    });
    const $set = { status: 'Running' as const, runId: run.id, capUsd };
    await cases.updateOne({ _id: one._id, status: 'Pending' }, { $set });
    const now = await cases.findOne({ _id: one._id });
    if (now?.status === 'Running') return true;
    // Somebody has stopped the experiment meanwhile.
    await deps.cancelRun(run.id, 'Its experiment was stopped.');
    return false;
  } catch (error) {
    if (!(error instanceof Fault) || passing.includes(error.code)) throw error;
    await finish(deps, experiment, 'Failed', `A run could not be started: ${error.message}`);
    return false;
  }
}

/** Ends a case whose run has ended. False while it works. */
async function settle(deps: ExperimentWorkDeps, experiment: ExperimentDoc, one: CaseDoc): Promise<boolean> {
  const run = one.runId === null ? null : await deps.findRun(one.runId);
  if (run?.status === 'BudgetExhausted') {
    const isOurs = run.spentLimit?.limit === 'poolCostBudgetUsd';
    await deps.cancelRun(run.id, 'Its case had no budget left.');
    // A higher budget tries it again; the limits of its own role are its own failure.
    const to: Partial<CaseDoc> = isOurs
      ? { status: 'Skipped', error: 'The budget of the experiment ran out.' }
      : failed(experiment, one, `Its limit was reached: ${run.spentLimit?.limit ?? 'its budget'}.`);
    return end(deps, one, to, await figuresOf(deps, run));
  }
  if (run && !hasEnded(run.status)) return false;
  if (run?.status !== 'Completed') {
    const error = run ? `${run.status}: ${run.failureReason ?? 'no reason given'}` : 'Its run is gone.';
    return end(deps, one, failed(experiment, one, error), run && (await figuresOf(deps, run)));
  }
  const figures = await figuresOf(deps, run);
  const output = run.result?.deliverable || run.result?.summary || run.progressSummary || '';
  const { scores, costUsd, error } = await judged(deps, experiment, one, output);
  return end(deps, one, { status: 'Done', output, error, scores }, { ...figures, costUsd: figures.costUsd + costUsd });
}

/** A case without an answer: it counts as 0 wherever it would have been judged. */
function failed({ scorers }: ExperimentDoc, { expected }: CaseDoc, error: string): Partial<CaseDoc> {
  const judging = scorers.filter(
    ({ kind }) => kind === 'JsonSchema' || kind === 'Model' || (kind !== 'Person' && expected !== null),
  );
  const scores = judging.map(({ name }) => ({ scorer: name, value: 0, reason: error, by: null }));
  return { status: 'Failed', error, scores };
}

type Figures = Awaited<ReturnType<typeof figuresOf>>;

const figuresOf = async ({ costOf }: ExperimentWorkDeps, run: RunRecord) => ({
  costUsd: await costOf(run),
  durationMs: run.completedAt !== null && run.startedAt !== null ? Math.max(0, run.completedAt - run.startedAt) : null,
});

async function end(
  { cases }: ExperimentWorkDeps,
  { _id, costUsd }: CaseDoc,
  to: Partial<CaseDoc>,
  figures: Figures | null,
): Promise<true> {
  // What an attempt that was stopped has cost stays spent.
  const spent = figures && { durationMs: figures.durationMs, costUsd: costUsd + figures.costUsd };
  await cases.updateOne({ _id, status: 'Running' }, { $set: { ...to, ...spent, capUsd: 0 } });
  return true;
}

/** All scores of an answer; a judge that fails is said, and scores nothing. */
async function judged(deps: ExperimentWorkDeps, experiment: ExperimentDoc, one: CaseDoc, output: string) {
  const { tenantId, identityId, projectId, createdByUserId } = experiment;
  const spender = {
    ...{ tenantId, identityId },
    ...(projectId !== null && { projectId }),
    ...(createdByUserId !== null && { userId: createdByUserId }),
  };
  const scores: ExperimentScoreDto[] = [];
  const errors: string[] = [];
  let costUsd = 0;
  for (const scorer of experiment.scorers) {
    try {
      const signal = AbortSignal.timeout(verdictMs / experiment.scorers.length);
      const found = await scoreBy(scorer, { ...one, output }, { model: deps.model, spender, signal });
      if (found) scores.push(found.score);
      costUsd += found?.costUsd ?? 0;
    } catch (error) {
      errors.push(`${scorer.name}: ${(error as Error).message}`);
    }
  }
  return { scores, costUsd, error: errors.join('\n').slice(0, 2000) || null };
}

/** Cancels the runs of an experiment that somebody has stopped. */
async function stopRuns(deps: ExperimentWorkDeps, experiment: ExperimentDoc): Promise<void> {
  const { cases } = deps;
  const { _id, status } = experiment;
  for (const one of await cases.find({ experimentId: _id, status: 'Running' }).toArray()) {
    const run = one.runId === null ? null : await deps.findRun(one.runId);
    if (run && !hasEnded(run.status)) await deps.cancelRun(run.id, `The experiment is ${status}.`);
    await end(deps, one, { status: 'Skipped' }, run && (await figuresOf(deps, run)));
  }
  await cases.updateMany({ experimentId: _id, status: 'Pending' }, { $set: { status: 'Skipped' } });
  await sum(deps, experiment);
  await deps.experiments.updateOne({ _id, status }, { $set: { isOpen: false } });
}
