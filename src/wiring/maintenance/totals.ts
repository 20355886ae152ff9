// Totals that are kept beside what they count: they are counted anew, and put right where they differ.
import { chatMessageSpec, chatSessionSpec } from '../../groups/chat/documents.ts';
import type { Outcome, Task, TaskContext } from '../../groups/maintenance/tasks.ts';
import type { Clock } from '../../kernel/clock.ts';
import { appliesTo } from '../../models/routing/budgets.ts';
import { periodStart } from '../../models/routing/periods.ts';
import { type BudgetDoc, budgetSpec, type CallDoc, callSpec } from '../../ports/ai-router.ts';
import type { Db } from '../../ports/db.ts';
import { pagesOf } from '../../ports/retention.ts';

interface Deps {
  db: Db;
  clock: Clock;
}

/** Differences of floating-point sums that mean nothing, in dollars. */
const nothingUsd = 1e-9;

export function totalTasks(deps: Deps): Record<'RecountTotals' | 'RollupUsage', Task> {
  return {
    RecountTotals: { scope: 'tenant', takes: ['dryRun'], work: (context) => recountChats(deps, context) },
    RollupUsage: { scope: 'tenant', takes: ['dryRun'], work: (context) => addUpBudgets(deps, context) },
  };
}

/** Messages and tokens of chats. */
async function recountChats({ db }: Deps, { tenants, dryRun, step }: TaskContext): Promise<Outcome> {
  const sessions = db.collection(chatSessionSpec);
  const messages = db.collection(chatMessageSpec);
  let [looked, corrected] = [0, 0];
  for (const tenantId of tenants)
    for await (const page of pagesOf(sessions, { tenantId, deletedAt: null })) {
      for (const session of page) {
        const { _id, messageCount, totalTokens } = session;
        const found = await messages.find({ tenantId, sessionId: _id }).toArray();
        const right = {
          messageCount: found.length,
          totalTokens: found.reduce((sum, one) => sum + one.usage.promptTokens + one.usage.completionTokens, 0),
        };
        if (right.messageCount === messageCount && right.totalTokens === totalTokens) continue;
        // What changes meanwhile counts itself, and is looked at next time.
        const same = { _id, tenantId, messageCount, totalTokens, updatedAt: session.updatedAt, generation: null };
        const written = dryRun || (await sessions.updateOne(same, { $set: right })).matchedCount > 0;
        if (written) corrected++;
      }
      looked += page.length;
      await step(looked);
    }
  return { processed: corrected, result: { chats: looked, corrected } };
}

/** What budgets of the present period have spent, from the ledger of calls. */
async function addUpBudgets({ db, clock }: Deps, { tenants, dryRun, step }: TaskContext): Promise<Outcome> {
  const budgets = db.collection(budgetSpec);
  const corrected: { id: number; name: string; spentUsd: [number, number]; usedTokens: [number, number] }[] = [];
  let [looked, read] = [0, 0];
  for (const tenantId of tenants)
    for (const budget of await budgets.find({ tenantId, enabled: true }).toArray()) {
      const { _id, spentUsd, usedTokens, periodStart: began } = budget;
      looked++;
      // One that nobody has charged since its period ended is emptied by the next charge. It counts from when it was made
      // or reset, where that was within the period.
      if (began.getTime() < periodStart(budget.period, clock.now())) continue;
      let sum = { spentUsd: 0, usedTokens: 0 };
      for await (const calls of pagesOf(db.collection(callSpec), { tenantId, createdAt: { $gte: began } })) {
        sum = add(sum, budget, calls);
        read += calls.length;
        await step(read);
      }
      if (Math.abs(sum.spentUsd - spentUsd) < nothingUsd && sum.usedTokens === usedTokens) continue;
      // A call that is charged meanwhile changes the sum: then it is as good as it was.
      const same = { _id, tenantId, spentUsd, usedTokens, periodStart: began };
      if (dryRun || (await budgets.updateOne(same, { $set: sum })).matchedCount > 0)
        corrected.push({
          ...{ id: _id, name: budget.name },
          ...{ spentUsd: [spentUsd, sum.spentUsd], usedTokens: [usedTokens, sum.usedTokens] },
        });
    }
  return { processed: corrected.length, result: { budgets: looked, corrected } };
}

function add(sum: { spentUsd: number; usedTokens: number }, budget: BudgetDoc, calls: readonly CallDoc[]) {
  let { spentUsd, usedTokens } = sum;
  for (const call of calls) {
    if (!appliesTo(budget, call)) continue;
    spentUsd += call.costUsd;
    usedTokens += call.promptTokens + call.completionTokens;
  }
  return { spentUsd, usedTokens };
}
