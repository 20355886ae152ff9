// How many requests of one kind an address may have under way: what is counted when it fails has cost its work by then.
import { Fault } from '../kernel/fault.ts';

/** @returns what lets one in, or throws Fault RATE_LIMITED, and gives what says that it is over */
export function createAtOnce(most: number): (name: string) => () => void {
  const underWay = new Map<string, number>();
  return (name) => {
    const count = underWay.get(name) ?? 0;
    if (count >= most)
      throw new Fault('RATE_LIMITED', 'Too many requests to sign in at once.', {
        hint: 'Wait for the answers of the others, then try again.',
        retryAfterSeconds: 1,
      });
    underWay.set(name, count + 1);
    return () => {
      const left = (underWay.get(name) ?? 1) - 1;
      if (left > 0) underWay.set(name, left);
      else underWay.delete(name);
    };
  };
}
