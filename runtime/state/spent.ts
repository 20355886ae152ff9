// Spent limits of a run, and what is missing before it can continue: pure arithmetic over run and tree.
import { Fault } from '../../src/kernel/fault.ts';
import type { LimitName, RunRecord, SpentLimit } from '../records.ts';
import type { TreeRecord } from './tree.ts';

type Counted = Pick<
  RunRecord,
  'maxIterations' | 'hardIterationCap' | 'iterationsUsed' | 'maxTokens' | 'tokensUsed' | 'writtenOffTokens'
>;

/** A limit as it stands now, and its use; null where the limit is gone. */
function standOf(limit: LimitName, run: Counted, tree: TreeRecord | null): { max: number; used: number } | null {
  switch (limit) {
    case 'maxIterations':
      return { max: Math.min(run.maxIterations, run.hardIterationCap), used: run.iterationsUsed };
    case 'maxTokens':
      return { max: run.maxTokens, used: run.tokensUsed + run.writtenOffTokens };
    case 'poolIterationBudget':
      return tree && { max: tree.iterationBudget, used: tree.iterationsUsed };
    case 'poolTokenBudget':
      return tree && { max: tree.tokenBudget, used: tree.tokensUsed };
    case 'poolCostBudgetUsd':
      return tree && tree.costBudgetUsd !== null ? { max: tree.costBudgetUsd, used: tree.costUsd } : null;
    default:
      return limit satisfies never;
  }
}

/** The spent limit with its present figures; `missing` is 0 when there is room again. */
export interface Shortage extends SpentLimit {
  max: number;
  used: number;
  missing: number;
  /** Text for people. */
  message: string;
}

/** Present shortage of a spent limit; null when the limit is gone. */
export function shortageOf(spent: SpentLimit, run: Counted, tree: TreeRecord | null): Shortage | null {
  const stand = standOf(spent.limit, run, tree);
  if (!stand) return null;
  const missing = Math.max(0, stand.used + spent.needed - stand.max);
  // Sums of dollars end in the digits of binary fractions: rounding up makes the requested amount readable.
  if (spent.limit === 'poolCostBudgetUsd' && missing > 0)
    return { ...spent, ...stand, missing: Math.ceil(missing * 1e6) / 1e6, message: messageOf(spent, stand) };
  return { ...spent, ...stand, missing, message: messageOf(spent, stand) };
}

const usd = (amount: number) => `$${Number(amount.toFixed(6))}`;

function messageOf({ limit, needed }: SpentLimit, { max, used }: { max: number; used: number }): string {
  const whose = limit.startsWith('max') ? 'of its own' : "of its tree's pool";
  if (limit === 'poolCostBudgetUsd')
    return `Its next call may cost ${usd(needed)}; ${usd(Math.max(0, max - used))} of ${usd(max)} ${whose} are left.`;
  if (limit === 'maxTokens' || limit === 'poolTokenBudget')
    return `Its next call needs about ${needed} tokens; ${Math.max(0, max - used)} of ${max} ${whose} are left.`;
  return `All ${max} turns ${whose} are used.`;
}

/** The refusal to continue while a limit is spent; null when there is room. Its hint names the call that makes room. */
export function refusalToGoOn(run: RunRecord, tree: TreeRecord | null): Fault | null {
  const shortage = run.spentLimit && shortageOf(run.spentLimit, run, tree);
  if (!shortage || shortage.missing === 0) return null;
  return new Fault('INVALID_TRANSITION', `Run ${run.id} has too little ${shortage.limit}: ${shortage.message}`, {
    hint: hintOf(run, shortage),
  });
}

/** Fields that raise each limit. */
const fields: Record<LimitName, string> = {
  maxIterations: 'addIterations',
  maxTokens: 'addTokens',
  poolIterationBudget: 'addIterations',
  poolTokenBudget: 'addTokens',
  poolCostBudgetUsd: 'addCostUsd',
};

function hintOf(run: RunRecord, { limit, missing, max, needed }: Shortage): string {
  if (limit === 'maxIterations' && max + needed > run.hardIterationCap)
    return `Its role allows no more than ${run.hardIterationCap} turns: fork it with POST /api/agent/runs/${run.id}/fork.`;
  const field = fields[limit];
  return `Give it more with POST /api/agent/runs/${run.id}/pool {"${field}": ${missing} or more, "resume": true}.`;
}
