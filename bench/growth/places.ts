// Where documents of the growth benchmark stand, and the words they are made of.

/** Whom everything belongs to. */
export interface Owner {
  tenantId: number;
  identityId: number;
  userId: number;
}

/** Where a run stands among those that are made: its number, its tree and when it was created. */
export interface Place extends Owner {
  id: number;
  rootRunId: number;
  /** Ids of the runs below it. */
  children: readonly number[];
  at: number;
}

export const models = ['openai:gpt-5-mini', 'openai:gpt-5', 'anthropic:claude-haiku-4-5', 'ollama:qwen3'];
export const roles = ['worker', 'researcher', 'coder', 'reviewer', 'planner', 'supervisor'];
export const subjects = [
  'the nightly build',
  'the invoice import',
  'the search index',
  'the release notes',
  'the login page',
];
export const verbs = [
  'Find out what slows',
  'Write tests for',
  'Summarise the open questions about',
  'Repair',
  'Review',
];
export const text = (words: number) => 'It read the files, changed two lines and ran the tests again. '.repeat(words);

/** The same number gives the same choice; neighbours differ. */
export const pick = <T>(list: readonly T[], seed: number, salt: number): T =>
  list[(Math.imul(seed + salt, 2654435761) >>> 8) % list.length]!;

/** One in so many runs is rated. */
export const ratedEvery = 20;
export const ratingOf = (runId: number) => (runId % 3 === 0 ? 'Good' : 'Excellent');
