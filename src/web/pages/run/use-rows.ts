// A virtualizer that draws few new rows in each frame, however often it renders within one.
import { defaultRangeExtractor, type Range, useVirtualizer, type VirtualizerOptions } from '@tanstack/react-virtual';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { drawable, drawnAFrame } from './rows.ts';

type Given = Pick<
  VirtualizerOptions<HTMLDivElement, Element>,
  'count' | 'getScrollElement' | 'estimateSize' | 'overscan'
>;

interface Options extends Given {
  /** The same function while places keep their keys: a new one has every row measured again. */
  getItemKey: (index: number) => string | number;
  /** 1 for a line, 2 for a text. */
  weigh: (index: number) => number;
}

export function useRows({ weigh, ...options }: Options) {
  const drawn = useRef<ReadonlySet<unknown>>(new Set());
  const spent = useRef(0);
  const held = useRef(false);
  const frame = useRef(0);
  const [, draw] = useState(0);
  const rangeExtractor = (range: Range) => {
    const wanted = defaultRangeExtractor(range);
    const isDrawn = (index: number) => drawn.current.has(options.getItemKey(index));
    const rows = drawable({ wanted, sight: range, isDrawn, weigh, room: drawnAFrame - spent.current });
    held.current = rows.length < wanted.length;
    return rows;
  };
  const virtual = useVirtualizer({ ...options, rangeExtractor });
  const items = virtual.getVirtualItems();
  useLayoutEffect(() => {
    for (const { index, key } of items) if (!drawn.current.has(key)) spent.current += weigh(index);
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
