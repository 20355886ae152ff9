import { expect, test } from 'vitest';
import { createMade } from './made.ts';

const text = (value: number, id = 1) => JSON.stringify({ _id: id, value, parts: [{ value }] });

test('a page that stays as it was is read once more, then given as it was made', () => {
  const made = createMade();
  let times = 0;
  const make = (document: object) => {
    times++;
    return { document };
  };
  const page = [text(1), text(2)];
  const first = made('a', page, make);
  const second = made('a', page, make);
  expect(second).toEqual(first);
  expect(second[0]).not.toBe(first[0]);
  expect(made('a', page, make)).toEqual(second);
  expect(made('a', page, make)[1]).toBe(second[1]);
  expect(times).toBe(4);
});

test('of a page that has changed the same documents at the same places are not made again', () => {
  const made = createMade();
  const make = (document: object) => ({ document });
  const all = [1, 2, 3].map((id) => text(id, id));
  made('a', all, make);
  const kept = made('a', all, make);
  const changed = made('a', [all[0]!, text(9, 2), all[2]!], make);
  expect(changed.map((one, at) => one === kept[at])).toEqual([true, false, true]);
  expect(changed[1]).toMatchObject({ document: { value: 9 } });
  expect(made('a', [text(0, 4), ...all], make)).toMatchObject([0, 1, 2, 3].map((value) => ({ document: { value } })));
  expect(made('a', all.slice(0, 1), make)).toHaveLength(1);
});

test('another text is another document, whatever was kept, and whatever the page is called', () => {
  const made = createMade();
  const make = (document: object) => document;
  for (const value of [1, 1, 1, 2, 1, 2, 2, 2, 1])
    for (const name of ['a', 'b', 'a']) expect(made(name, [text(value)], make)).toMatchObject([{ value }]);
});

test('who shares a value can not change it; who has it alone can', () => {
  const made = createMade();
  const make = (document: object) => document;
  const read = () => made('a', [text(1)], make)[0] as { value: number; parts: { value: number }[] };
  read().value = 5;
  const shared = read();
  expect(shared.value).toBe(1);
  expect(() => {
    shared.parts[0]!.value = 5;
  }).toThrow(TypeError);
});
