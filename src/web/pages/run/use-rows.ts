// A virtualizer that draws few new rows in each frame, however often it renders within one.
import { defaultRangeExtractor, type Range, useVirtualizer, type VirtualizerOptions } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { createPlaces } from './places.ts';
import { drawable, drawnAFrame } from './rows.ts';

type Given = Pick<VirtualizerOptions<HTMLDivElement, Element>, 'getScrollElement' | 'overscan'>;

interface Options extends Given {
  /** What each row stands for. The same list while it is only added to: another one has every row measured again. */
  list: readonly number[];
  /** Pixels that a row is taken to be high until it is drawn. */
  estimate: (of: number) => number;
  /** 1 for a line, 2 for a text. */
  weigh: (of: number) => number;
}

export function useRows({ list, estimate, weigh, ...options }: Options) {
  const count = list.length;
  const latest = useRef(estimate);
  latest.current = estimate;
  const [places, keyOf] = useMemo(() => {
    const estimateAt = (index: number) => latest.current(list[index] as number);
    // Numbers, since texts take several times as long to walk.
    return [createPlaces(list.length, estimateAt), (index: number) => list[index] ?? -1 - index] as const;
  }, [list]);
  const drawn = useRef<ReadonlySet<unknown>>(new Set());
  const spent = useRef(0);
  const held = useRef(false);
  const frame = useRef(0);
  const [, draw] = useState(0);
  const weightAt = (index: number) => weigh(list[index] as number);
  const rangeExtractor = (range: Range) => {
    const last = places.sized - 1;
    const [startIndex, endIndex] = [Math.min(range.startIndex, last), Math.min(range.endIndex, last)];
    const wanted = last < 0 ? [] : defaultRangeExtractor({ ...range, startIndex, endIndex, count: places.sized });
    const isDrawn = (index: number) => drawn.current.has(keyOf(index));
    const room = drawnAFrame - spent.current;
    const rows = drawable({ wanted, sight: range, isDrawn, weigh: weightAt, room });
    held.current = rows.length < wanted.length;
    return rows;
  };
  const { estimateSize } = places;
  const virtual = useVirtualizer({
    ...options,
    count: places.room(count),
    estimateSize,
    getItemKey: keyOf,
    rangeExtractor,
  });
  const items = virtual.getVirtualItems();
  useLayoutEffect(() => places.grow(virtual, count));
  useLayoutEffect(() => {
    for (const { index, key } of items) if (!drawn.current.has(key)) spent.current += weightAt(index);
    drawn.current = new Set(items.map(({ key }) => key));
    if (frame.current || (spent.current === 0 && !held.current)) return;
    // Not taken back by the next render: a live run renders in every frame.
    frame.current = requestAnimationFrame(() => {
      frame.current = 0;
      spent.current = 0;
      if (held.current) draw((frames) => frames + 1);
    });
  });
  useEffect(
    () => () => {
      cancelAnimationFrame(frame.current);
      frame.current = 0;
    },
    [],
  );
  return { virtual, items };
}
