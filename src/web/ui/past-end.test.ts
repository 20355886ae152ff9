import { expect, it } from 'vitest';
import { lastPage, pageInstead } from './past-end.ts';

it('names the last page of a list whose asked one is beyond the end', () => {
  expect(lastPage(1, 0)).toBeNull();
  expect(lastPage(2, 2)).toBeNull();
  expect([lastPage(3, 2), lastPage(9, 0)]).toEqual([2, 1]);
});

it('finds it of what was answered, whatever that is', () => {
  expect(pageInstead({ items: [], page: 3, totalPages: 2 })).toBe(2);
  expect(pageInstead({ items: [], page: 1, totalPages: 0 })).toBeNull();
  // The list has shrunk since, but there is something to see.
  expect(pageInstead({ items: [1], page: 3, totalPages: 2 })).toBeNull();
  expect([pageInstead(null), pageInstead([]), pageInstead({ items: [] })]).toEqual([null, null, null]);
});
