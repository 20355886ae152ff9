// What the calls of a run wait for, and the decisions that they get.

/** Reason why an unended run holds no worker; one entry per tool call that awaits an outcome. */
export type Waiting =
  | {
      for: 'children';
      callKey: string;
      mode: 'all' | 'any' | 'first';
      count: number;
      runIds: number[];
      /** True for `run_spawn wait`, which returns the result of one child. */
      single: boolean;
    }
  | {
      for: 'decision';
      callKey: string | null;
      escalationId: number;
      decision: Decision | null;
      /** The breakpoint at which the call waits, in words. */
      breakpoint?: string;
      /** Set when a council of the run shall decide; `lean` is what the asker prefers. */
      council?: { lean: string; notes: string | null } | null;
      /** Node whose connection the question hangs on: while it lives, the run goes on there. */
      heldBy?: string;
    };

export interface Decision {
  escalationId: number;
  outcome: 'decided' | 'approved' | 'rejected' | 'skipped' | 'revise' | 'timed-out' | 'lost';
  decision: string | null;
  notes: string | null;
  decidedBy: string | null;
  argumentsJson: string | null;
}
