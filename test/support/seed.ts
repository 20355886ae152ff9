// The seed of random troubles: another one each time, named in the titles of tests, or RIVULET_SEED to repeat a run.
export const seed = Number(process.env.RIVULET_SEED ?? Date.now() % 1_000_000);

/** How often a test kills its server: as often as finds its faults, or RIVULET_KILLS for a longer run by hand. */
export const killsOf = (enough: number): number => Number(process.env.RIVULET_KILLS ?? enough);

/** Numbers between 0 and 1 that follow from the seed (mulberry32). */
export function randomOf(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
