import { expect, it } from 'vitest';
import { createMeanwhile } from './meanwhile.ts';

/** A load that is answered by hand. */
function slowLoad() {
  let answer: (snapshot: string[]) => void = () => {};
  const loading = new Promise<string[]>((resolve) => {
    answer = resolve;
  });
  return { loading, answer };
}

const adds = (word: string) => (all: string[]) => [...all, word];

it('makes the changes that come while a snapshot loads on the snapshot too, in their order', async () => {
  const meanwhile = createMeanwhile<string[]>();
  const { loading, answer } = slowLoad();
  const loaded = meanwhile.during(loading);
  meanwhile.note(adds('b'));
  meanwhile.note(adds('c'));
  answer(['a']);
  expect(await loaded).toEqual(['a', 'b', 'c']);
});

it('leaves alone what changed before and after the load, and after one that failed', async () => {
  const meanwhile = createMeanwhile<string[]>();
  meanwhile.note(adds('before'));
  expect(await meanwhile.during(Promise.resolve(['a']))).toEqual(['a']);
  meanwhile.note(adds('after'));
  await expect(meanwhile.during(Promise.reject(new Error('away')))).rejects.toThrow('away');
  meanwhile.note(adds('after a failure'));
  expect(await meanwhile.during(Promise.resolve(['b']))).toEqual(['b']);
});

it('drops the answer of a load that was begun before the newest one', async () => {
  const meanwhile = createMeanwhile<string[]>();
  const [slow, quick] = [slowLoad(), slowLoad()];
  const first = meanwhile.during(slow.loading);
  const newest = meanwhile.during(quick.loading);
  slow.answer(['old']);
  expect(await first).toBeUndefined();
  meanwhile.note(adds('told'));
  quick.answer(['new']);
  expect(await newest).toEqual(['new', 'told']);
});
