// Where a timeline is scrolled to: it follows the end while the reader is there, and stays where the reader goes.
import { useEffect, useRef, useState } from 'react';
import type { Entry } from '../../timeline/timeline.ts';
import { useRows } from './use-rows.ts';

/** Pixels that an entry is taken to be high until it is drawn. */
const estimate: Record<Entry['kind'], number> = { turn: 150, tool: 46, line: 34 };

/** This near to the end, in pixels, is at the end. */
const nearEnd = 48;

interface Followed {
  entries: readonly Entry[];
  /** Places of those that are shown; the same list while it is only added to. */
  list: readonly number[];
  /** The event that was chosen. */
  seq: number | null;
  /** Grows with every change. */
  version: number;
}

export function useFollow({ entries, list, seq, version }: Followed) {
  const [pinned, setPinned] = useState(seq === null);
  const [unseen, setUnseen] = useState(0);
  const scroller = useRef<HTMLDivElement>(null);
  const { virtual, items } = useRows({
    list,
    getScrollElement: () => scroller.current,
    estimate: (place) => estimate[entries[place]?.kind ?? 'line'],
    overscan: 8,
    weigh: (place) => (entries[place]?.kind === 'turn' ? 2 : 1),
  });

  const top = useRef(0);
  const count = list.length;
  // Heights become known only as entries are drawn, so the end moves after it was reached.
  const height = virtual.getTotalSize();
  const before = useRef(count);
  useEffect(() => {
    void version;
    if (pinned && count > 0 && height > 0) {
      scroller.current?.scrollTo({ top: scroller.current.scrollHeight });
    } else if (count > before.current) setUnseen((n) => n + count - before.current);
    before.current = count;
  }, [version, count, pinned, height]);

  // Only a new selection scrolls, not every event.
  const goTo = useRef((_: number) => {});
  goTo.current = (target) => {
    const index = list.findIndex((i) => (entries[i]?.seq ?? 0) >= target);
    if (index < 0) return;
    setPinned(false);
    virtual.scrollToIndex(index, { align: 'center' });
  };
  const found = seq !== null && (entries.at(-1)?.seq ?? 0) >= seq;
  useEffect(() => {
    if (seq !== null && found) goTo.current(seq);
  }, [seq, found]);

  const toEnd = () => {
    setPinned(true);
    setUnseen(0);
  };
  const onScroll = () => {
    const box = scroller.current;
    if (!box) return;
    const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < nearEnd;
    // The end also moves away by itself, as heights become known; only a reader goes up.
    const wentUp = box.scrollTop < top.current;
    top.current = box.scrollTop;
    if (atEnd) {
      setPinned(true);
      setUnseen(0);
    } else if (wentUp) setPinned(false);
  };
  return { scroller, virtual, items, pinned, unseen, toEnd, onScroll };
}
