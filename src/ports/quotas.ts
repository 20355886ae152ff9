// What the plan of a tenant allows of new work, asked before it begins.
import type { UsageMeter } from '../contract/enums.ts';

/** What would be added to each meter; 0 where nobody knows yet how much, as with tokens. */
export type Adding = Partial<Record<UsageMeter, number>>;

export interface Quotas {
  /**
   * What is asked for counts as used at once, so that many who ask together do not all get the last of it.
   *
   * @throws Fault QUOTA_EXCEEDED where a hard limit of the plan would be passed, or the subscription allows no new work
   */
  require(tenantId: number, adding: Adding): Promise<void>;
}
