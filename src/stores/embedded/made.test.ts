import { expect, test } from 'vitest';
import { createMade } from './made.ts';

const text = (value: number) => JSON.stringify({ _id: 1, value, parts: [{ value }] });

test('a document that stays as it was is read once more, then given as it was made', () => {
  const made = createMade();
  let times = 0;
  const make = (document: object) => {
    times++;
    return { document };
  };
  const first = made(text(1), make);
  const second = made(text(1), make);
  expect(second).toEqual(first);
  expect(second).not.toBe(first);
  expect(made(text(1), make)).toBe(second);
  expect(times).toBe(2);
});

test('another text is another document, whatever was kept', () => {
  const made = createMade();
  const make = (document: object) => document;
  for (const value of [1, 1, 1, 2, 1, 2, 2, 2, 1]) expect(made(text(value), make)).toMatchObject({ value });
});

test('who shares a value can not change it; who has it alone can', () => {
  const made = createMade();
  const make = (document: object) => document as { value: number; parts: { value: number }[] };
  const own = made(text(1), make) as ReturnType<typeof make>;
  own.value = 5;
  const shared = made(text(1), make) as ReturnType<typeof make>;
  expect(shared.value).toBe(1);
  expect(() => {
    shared.parts[0]!.value = 5;
  }).toThrow(TypeError);
});
