// What trains a model on a dataset: a command in the sandbox of this server, or a program elsewhere.
export interface TrainingJob {
  /** Stands for this attempt of the run; a later one has another. */
  key: string;
  tenantId: number;
  runId: number;
  /** The run as it is answered. */
  run: object;
  dataset: { id: number; name: string; version: string; pairCount: number; sha256: string; format: 'Dpo' | 'Sft' };
  hyperparametersJson: string | null;
  /** The dataset's file, JSON lines. */
  lines(): AsyncIterable<Uint8Array>;
}

export type Trained =
  /** The model was trained here; this is the result. */
  | { kind: 'trained'; adapterOutputPath: string | null; metricsJson: string | null }
  /** Somebody else has it now, and reports. */
  | { kind: 'handed' }
  /** The job could not be handed over; retry no sooner than after `waitMs`. */
  | { kind: 'later'; error: string; waitMs: number }
  | { kind: 'failed'; error: string };

export interface Trainer {
  /** Trains itself, and so holds a run while it is at it; otherwise it hands it over. */
  readonly isLocal: boolean;
  /** Ends soon after the signal. */
  train(job: TrainingJob, signal: AbortSignal): Promise<Trained>;
  /** Tells whoever has a run that it is cancelled. */
  cancel?(job: Pick<TrainingJob, 'key' | 'tenantId' | 'runId' | 'run'>, signal: AbortSignal): Promise<Trained>;
}
