// Numbers of log lines: they grow with the time at which lines are kept, over all nodes, so that a number is a place in the log.

/** 2025-01-01; with 13 bits within a millisecond, numbers stay below 2^53 until 2059. */
const epoch = Date.UTC(2025, 0, 1);
const perMs = 8192;
/** Nodes take turns within a millisecond. */
const nodes = 64;
const linesPerMs = perMs / nodes;

/** The first number of a moment. */
export const idAt = (ms: number): number => Math.max(0, Math.floor(ms) - epoch) * perMs;
/** As many numbers as a time of this length has. */
export const idsIn = (ms: number): number => ms * perMs;
/** The moment of a number. */
export const timeOfId = (id: number): number => Math.floor(id / perMs) + epoch;

/** Gives numbers to lines: those of one node grow, whatever its clock does. `after` is the highest of all that are kept. */
export function createLogIds({ now, slot, after }: { now: () => number; slot: number; after: number }) {
  let lastMs = Math.floor(after / perMs);
  return {
    /** Numbers of `count` lines that are kept now, in order. */
    take(count: number): number[] {
      const first = Math.max(Math.max(0, Math.floor(now()) - epoch), lastMs + 1);
      lastMs = first + Math.ceil(count / linesPerMs) - 1;
      return Array.from(
        { length: count },
        (_, i) => (first + Math.floor(i / linesPerMs)) * perMs + (i % linesPerMs) * nodes + (slot % nodes),
      );
    },
    /** The highest number that was given. */
    get last(): number {
      return (lastMs + 1) * perMs - 1;
    },
  };
}
