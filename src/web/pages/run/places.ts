// Places of a list that grows at its end: what is added costs what is added, however long the list is.
import type { Virtualizer } from '@tanstack/react-virtual';

/** A virtualizer walks all of its places when their number changes, so it is given this many more at a time. */
export const placesAtOnce = 256;

export interface Places {
  /** Places for the virtualizer: those after the last row are empty. */
  room: (count: number) => number;
  /** Rows that have their height, or the one they are taken to have; later ones take no room and are not drawn. */
  readonly sized: number;
  estimateSize: (index: number) => number;
  /** Gives the rows after the last sized one their room. */
  grow: (virtual: Pick<Virtualizer<HTMLDivElement, Element>, 'resizeItem'>, count: number) => void;
}

/** For one list that is only ever added to; another list needs places of its own. */
export function createPlaces(count: number, estimate: (index: number) => number): Places {
  let sized = count;
  return {
    room: (count) => Math.ceil((count + 1) / placesAtOnce) * placesAtOnce,
    get sized() {
      return sized;
    },
    estimateSize: (index) => (index < sized ? estimate(index) : 0),
    grow(virtual, count) {
      for (let index = sized; index < count; index++) virtual.resizeItem(index, estimate(index));
      sized = Math.max(sized, count);
    },
  };
}
