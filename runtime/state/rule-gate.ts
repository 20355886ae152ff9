// Standing rules as the engine asks for them: what they say of a call before it is made, and after a failure.

/** For whom rules are asked: a run, or a chat. */
export interface GatedWork {
  tenantId: number;
  identityId: number | null;
  projectId: number | null;
  /** Of forks: rules count as they stood then. */
  knownAt?: number | null;
  rootRunId?: number | null;
}

/** What rules say of a call. */
export interface RuleRuling {
  /** `block`: it is not made. `ask`: a person decides. `hold`: the model reads the rules first. */
  verdict: 'block' | 'ask' | 'hold';
  ruleIds: number[];
  /** For the model. */
  text: string;
}

/** Standing rules that gate work; what applies is known without asking a store. */
export interface RuleGate {
  /** Null where nothing stands against the call. */
  beforeCall(
    work: GatedWork,
    act: {
      tool: string;
      argumentsJson: string;
      /** Tools that were used with success before. */
      used(): Promise<ReadonlySet<string>>;
      /** Rules that the model has before it. */
      told: ReadonlySet<number>;
    },
  ): Promise<RuleRuling | null>;
  /** What is to be known after a failure, besides what was told; null for nothing. */
  onError(work: GatedWork, told: ReadonlySet<number>): Promise<Pick<RuleRuling, 'ruleIds' | 'text'> | null>;
}
