// Tests of a contract, and how what a server is known to do otherwise is kept true.
import { it } from 'vitest';

/** Titles of tests that a server is known to fail, with what it does instead; see `deviations.ts`. */
export type Deviations = Record<string, string>;

/** A test; on a server known to deviate, one that must fail, which it is told. */
export type DeclareTest = (title: string, run: (mustFail: boolean) => Promise<void>, timeoutMs?: number) => void;

export function testsWith(deviations: Deviations = {}): DeclareTest {
  return (title, run, timeoutMs) => {
    const known = deviations[title];
    if (known === undefined) it(title, () => run(false), timeoutMs);
    else if (known.startsWith('sometimes')) it.skip(`${title} (known deviation: ${known})`, () => run(false));
    else
      it.fails(`${title} (known deviation: ${known})`, { retry: 0, ...(timeoutMs ? { timeout: timeoutMs } : {}) }, () =>
        run(true),
      );
  };
}
