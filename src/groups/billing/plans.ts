// Plans: those of the operator, and the one that is built in, without price and limits.
import type { Db } from '../../ports/db.ts';
import { type PlanDoc, planRecord } from './record.ts';

const never = new Date(0);

/** Holds where the operator has made no default plan. */
export const builtInPlan: PlanDoc = {
  _id: 0,
  tenantId: 0,
  guid: '00000000-0000-0000-0000-000000000000',
  key: 'built-in',
  name: 'Built-in',
  description: 'Everything, without a price and without limits.',
  currency: 'USD',
  monthlyPriceUsd: 0,
  quotas: [],
  isActive: true,
  isDefault: false,
  externalPriceId: null,
  createdAt: never,
  updatedAt: never,
};

export interface Plans {
  /** The default plan of the operator; null where there is none. */
  default(): Promise<PlanDoc | null>;
  /** A plan, also one that is retired; the built-in one for 0 and for what is not there. */
  get(id: number): Promise<PlanDoc>;
}

export function createPlans({ db }: { db: Db }): Plans {
  const plans = db.collection(planRecord.spec);
  return {
    default: () => plans.findOne({ isDefault: true, isActive: true }, { sort: { updatedAt: -1, _id: -1 } }),
    get: async (id) => (id === 0 ? null : await plans.findOne({ _id: id })) ?? builtInPlan,
  };
}
