// What a tenant's policy allows of model calls: which models, and what they may cost in a month.
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { namedBy } from '../../kernel/patterns.ts';
import { callSpec, monthSpendSpec } from '../../ports/ai-router.ts';
import type { Db } from '../../ports/db.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { UnitWork } from '../../ports/org-units.ts';
import type { Adding, Quotas } from '../../ports/quotas.ts';
import type { Policies } from '../../ports/tenant-policy.ts';
import type { Target } from '../providers/target.ts';
import { periodStart } from './periods.ts';

interface Deps {
  db: Db;
  clock: Clock;
  policies?: Pick<Policies, 'of' | 'ofWork'> | undefined;
  quotas?: Quotas | undefined;
}

export interface Caps {
  /** The targets whose models the tenant and the work's units allow. @throws Fault FORBIDDEN where none is left */
  allowed(work: UnitWork, targets: Target[]): Promise<Target[]>;
  /** @throws Fault BUDGET_EXCEEDED where the month is spent, QUOTA_EXCEEDED where the plan allows no further call */
  requireMoney(tenantId: number, isEmbedding: boolean): Promise<void>;
  /** Counts what calls have cost, where the tenant has a cap. */
  spend(tenantId: number, usd: number): Promise<void>;
}

/** A call is counted before it is made; of its tokens and its cost nobody knows before it has ended. */
const textMeters: Adding = { ModelCalls: 1, PromptTokens: 0, CompletionTokens: 0, ModelCostUsd: 0 };
const vectorMeters: Adding = { ModelCalls: 1, EmbeddingTokens: 0, ModelCostUsd: 0 };

export function createCaps({ db, clock, policies, quotas }: Deps): Caps {
  const months = db.collection(monthSpendSpec);
  const start = () => periodStart('Month', clock.now());
  const idOf = (tenantId: number) => `${tenantId}:${new Date(start()).toISOString().slice(0, 7)}`;

  /** What this month has cost; counted from the ledger where nobody has kept it yet, as when the cap is new. */
  const spentBy = async (tenantId: number): Promise<number> => {
    const _id = idOf(tenantId);
    const kept = await months.findOne({ _id });
    if (kept) return kept.spentUsd;
    const calls = await db
      .collection(callSpec)
      .aggregate<{ usd: number }>([
        { $match: { tenantId, createdAt: { $gte: new Date(start()) } } },
        { $group: { _id: null, usd: { $sum: '$costUsd' } } },
      ])
      .toArray();
    const spentUsd = calls[0]?.usd ?? 0;
    await months.insertOne({ _id, tenantId, spentUsd }).catch((error) => {
      if (!isDuplicate(error)) throw error;
    });
    return spentUsd;
  };

  return {
    async allowed(work, targets) {
      const { allowedModelIds: names = [], units = [] } = (await policies?.ofWork(work)) ?? {};
      if (names.length === 0) return targets;
      const left = targets.filter(({ modelId }) => names.some((name) => namedBy(name, modelId)));
      if (left.length > 0 || targets.length === 0) return left;
      const where = units.find(({ policy }) => policy?.allowedModelIds?.length);
      const [who, cure] = where
        ? [`unit ${where.name}`, `PUT /api/org-units/${where.id}/policy`]
        : ['tenant', 'PUT /api/tenant-policy'];
      throw new Fault('FORBIDDEN', `The ${who} does not allow the model ${targets[0]?.modelId}.`, {
        hint: `Use one of ${names.slice(0, 20).join(', ')}, or change allowedModelIds with ${cure}.`,
      });
    },
    async requireMoney(tenantId, isEmbedding) {
      await quotas?.require(tenantId, isEmbedding ? vectorMeters : textMeters);
      const cap = (await policies?.of(tenantId))?.monthlyCostCapUsd ?? null;
      if (cap === null || (await spentBy(tenantId)) < cap) return;
      throw new Fault('BUDGET_EXCEEDED', `The tenant has spent the $${cap} of this month.`, {
        hint: 'Raise monthlyCostCapUsd with PUT /api/tenant-policy, or wait for the next month.',
      });
    },
    async spend(tenantId, usd) {
      const cap = (await policies?.of(tenantId))?.monthlyCostCapUsd ?? null;
      // Without the document of the month, the ledger is counted when it is next asked for.
      if (cap !== null && usd > 0) await months.updateOne({ _id: idOf(tenantId) }, { $inc: { spentUsd: usd } });
    },
  };
}
