// Clocks of servers under test: the machine's, by which they look ten times a second for what they look for more seldom.
import { type Clock, systemClock } from '../../src/kernel/clock.ts';

/** The shortest interval that is shortened, and what becomes of it, ms. */
const [from, becomes] = [500, 100];
/** What turns get to end at a shutdown, ms. */
const graceMs = 5000;

/** A clock that shortens intervals of up to so many ms. Beats, deadlines and waits of work keep theirs. */
export const hastyUpTo = (longest: number): Clock => ({
  ...systemClock,
  every: (ms, run) => systemClock.every(ms >= from && ms <= longest ? becomes : ms, run),
});

/** What servers of tests have unless they are given another. */
export const hastyClock = hastyUpTo(2000);

/** The same, where what turns get to end at a shutdown is over at once. */
export const withoutGrace: Clock = {
  ...hastyClock,
  after: (ms, run) => hastyClock.after(ms === graceMs ? 0 : ms, run),
};
