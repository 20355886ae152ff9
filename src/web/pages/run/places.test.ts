import { Virtualizer } from '@tanstack/react-virtual';
import { describe, expect, it } from 'vitest';
import { createPlaces, placesAtOnce } from './places.ts';

const height = 34;
const nothing = () => {};

/** A list of `count` rows in a virtualizer, and how often it asked for the key of a row. */
function startList(count: number) {
  let asked = 0;
  const places = createPlaces(count, () => height);
  const getItemKey = (index: number) => {
    asked += 1;
    return index;
  };
  const options = (rows: number) => ({
    count: places.room(rows),
    estimateSize: places.estimateSize,
    getItemKey,
    getScrollElement: () => null,
    scrollToFn: nothing,
    observeElementRect: nothing,
    observeElementOffset: nothing,
  });
  const virtual = new Virtualizer<HTMLDivElement, Element>(options(count));
  return {
    total: () => virtual.getTotalSize(),
    grow(rows: number) {
      virtual.setOptions(options(rows));
      places.grow(virtual, rows);
      return virtual.getTotalSize();
    },
    sized: () => places.sized,
    get asked() {
      return asked;
    },
  };
}

describe('places of a growing list', () => {
  it('are as high as the rows that are there', () => {
    const list = startList(3);
    expect(list.total()).toBe(3 * height);
    expect(list.grow(3 + 2 * placesAtOnce)).toBe((3 + 2 * placesAtOnce) * height);
    expect(list.sized()).toBe(3 + 2 * placesAtOnce);
  });

  it('are walked once in some hundred rows, not at each one', () => {
    const many = 20_000;
    const list = startList(many);
    list.total();
    const before = list.asked;
    for (let rows = many + 1; rows <= many + placesAtOnce; rows++) expect(list.grow(rows)).toBe(rows * height);
    // Once whole, and for each new row the empty places after it.
    expect(list.asked - before).toBeLessThan(many + placesAtOnce ** 2);
  });
});
