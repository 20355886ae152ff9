// How pages wait for a server that is away.
import { expect, it } from 'vitest';
import { ApiError } from '../../client/index.ts';
import { askAgain, askAgainMs } from './ask-again.ts';

const errorOf = (code: string) => new ApiError('No.', { code, status: 503 });

/** Fails with `error` and lets the time pass; answers the waits, in ms, after which it was asked again. */
function askedAfter(error: unknown, isStopped = false): number[] {
  const waits = new Map<() => void, number>();
  const asked: number[] = [];
  const later = (ms: number, run: () => void) => {
    waits.set(run, ms);
    return () => void waits.delete(run);
  };
  let passed = 0;
  const stop = askAgain(error, () => asked.push(passed), later);
  if (isStopped) stop();
  for (const [run, ms] of waits) {
    passed = ms;
    run();
  }
  return asked;
}

it.each(['NETWORK', 'UNAVAILABLE', 'SHUTTING_DOWN', 'STORE_UNAVAILABLE'])('asks once more after %s', (code) => {
  expect(askedAfter(errorOf(code))).toEqual([askAgainMs]);
});

it('asks no more when nobody waits any longer', () => {
  expect(askedAfter(errorOf('NETWORK'), true)).toEqual([]);
});

it.each([null, errorOf('NOT_FOUND'), errorOf('INTERNAL_ERROR'), new Error('of the page')])(
  'leaves alone what asking again does not mend: %s',
  (error) => {
    expect(askedAfter(error)).toEqual([]);
  },
);
