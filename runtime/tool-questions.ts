// What a tool asks of people in the middle of a call, and how it is answered.

/** A question of a call for a person, with what its tool needs to go on from there. */
export interface ToolQuestion {
  kind: string;
  situation: string;
  options: readonly string[];
  /** JSON of what a page can draw of it; absent for what is words alone. */
  formJson?: string;
  /** A supervisor's word will not do. */
  needsPerson?: true;
  /** Kept by the run, and given back with the answer. */
  kept: string;
  /** Set where the call goes on over a connection of this process alone: that waits while the run rests. */
  held?: HeldQuestion;
}

/** A question that hangs on a connection of this process. */
export interface HeldQuestion {
  /** Time in ms by the wall clock until which it can be answered. */
  until: number;
  /** Aborted when it can be answered no more: the connection was lost, or the call has ended without an answer. */
  over: AbortSignal;
  /** Tells the other side that nobody will answer. */
  drop(): void;
}

export interface AnsweredQuestion {
  kept: string;
  /** Null where nobody answered in time, or the question was lost. */
  decision: string | null;
  /** The question was lost with the connection that it hung on. */
  lost?: true;
}
