// What makes a role, apart from where it is kept.

/** What a run of the role starts with unless it says otherwise: milliseconds, model calls, tokens. */
export interface RoleBudgets {
  defaultMaxIterations: number;
  defaultMaxTokens: number;
  defaultMaxWallClockMs: number;
  defaultPoolIterationBudget: number;
  defaultPoolTokenBudget: number;
  /** No run of the role goes above it, whatever is asked for. */
  hardIterationCap: number;
  contextBudgetTokens: number;
}

export interface RoleContent extends RoleBudgets {
  name: string;
  displayName: string;
  description: string | null;
  icon: string | null;
  systemPromptTemplate: string;
  routeId: number | null;
  temperature: number;
  fallbackModelId: string | null;
  enabled: boolean;
  sortOrder: number;
}
