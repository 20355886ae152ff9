// A failure that repeats itself is told once, then once a minute with how often it came meanwhile, and once when it is over.
import type { Clock } from './clock.ts';

/** Milliseconds between two lines about the same failure. */
const everyMs = 60_000;
/** Failures that are followed at once; what else fails is told each time. */
const mostFollowed = 1000;

/** A failure that somebody wants to tell. */
interface Failure {
  /** The same whenever the same fails at the same place. */
  key: string;
  tell(): void;
  /** Tells it once more, for as many times as it was left out since the last line. */
  tellAgain(leftOut: number): void;
  /** Tells that it did not come for a minute, after it was left out so many times. */
  tellOver(leftOut: number): void;
}

interface Followed {
  latest: Failure;
  /** Times that it was left out since the last line, and before that. */
  leftOut: number;
  before: number;
}

/** @example const tell = tellRepeated(clock); tell({ key: 'disk', tell: … }); */
export function tellRepeated(clock: Pick<Clock, 'after'>): (failure: Failure) => void {
  const all = new Map<string, Followed>();
  const look = (one: Followed): void => {
    const { latest, leftOut, before } = one;
    if (leftOut === 0) {
      all.delete(latest.key);
      if (before > 0) latest.tellOver(before);
      return;
    }
    Object.assign(one, { leftOut: 0, before: before + leftOut });
    latest.tellAgain(leftOut);
    clock.after(everyMs, () => look(one));
  };
  return (failure) => {
    const known = all.get(failure.key);
    if (known) {
      known.latest = failure;
      known.leftOut++;
      return;
    }
    failure.tell();
    if (all.size >= mostFollowed) return;
    const one = { latest: failure, leftOut: 0, before: 0 };
    all.set(failure.key, one);
    clock.after(everyMs, () => look(one));
  };
}
