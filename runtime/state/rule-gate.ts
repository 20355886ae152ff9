// Port of standing rules for the engine: their ruling on a call before it is made, and after a failure.

/** The run or chat whose calls are judged. */
export interface GatedWork {
  tenantId: number;
  identityId: number | null;
  projectId: number | null;
  /** For forks: time at which rules are read. */
  knownAt?: number | null;
  rootRunId?: number | null;
}

/** Ruling on a call. */
export interface RuleRuling {
  /** `block`: the call is refused. `ask`: a person decides. `hold`: the model reads the rules first. */
  verdict: 'block' | 'ask' | 'hold';
  ruleIds: number[];
  /** Text for the model. */
  text: string;
  /** The same for people. */
  reason: string;
}

/** Gate of standing rules; the rules that apply are known without a read of the store. */
export interface RuleGate {
  /** Ruling before a call; null when no rule applies. */
  beforeCall(
    work: GatedWork,
    act: {
      tool: string;
      argumentsJson: string;
      /** Names of tools that succeeded before. */
      used(): Promise<ReadonlySet<string>>;
      /** Ids of rules that the model has read. */
      told: ReadonlySet<number>;
    },
  ): Promise<RuleRuling | null>;
  /** Rules to read after a failure, beyond those in `told`; null for none. */
  onError(work: GatedWork, told: ReadonlySet<number>): Promise<Pick<RuleRuling, 'ruleIds' | 'text' | 'reason'> | null>;
}
