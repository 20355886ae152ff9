// Limits concurrent requests of one kind by address: a limit on failures counts each one after its work is done.
import { Fault } from '../kernel/fault.ts';

/** @returns a function that admits a request or throws Fault RATE_LIMITED; the function it returns ends the request */
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
