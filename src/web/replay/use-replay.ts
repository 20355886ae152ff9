// The replay of a run page: the moment that its address names, and the playhead that moves on from there.
import { useEffect, useMemo, useState } from 'react';
import { patchQuery, useLocation } from '../base/router.ts';
import { useVersion } from '../base/store.ts';
import type { Tree } from '../state/tree.ts';
import { playedTo, type Speed, stepFrom } from './playhead.ts';
import { ReplayedTree, timesOf } from './replayed-tree.ts';

export interface Replay {
  tree: ReplayedTree;
  /** Times of all events, growing, ms since 1970. */
  times: readonly number[];
  at: number;
  playing: boolean;
  speed: Speed;
  setSpeed(speed: Speed): void;
  /** Plays, from the beginning where the end is shown; or pauses. */
  toggle(): void;
  seek(at: number): void;
  step(by: 1 | -1): void;
  /** Shows the present again. */
  leave(): void;
}

/** How long the playhead must rest until the address names its moment, ms: browsers limit how often that may change. */
const restMs = 250;

/** The replay, null while the page shows the present, and what begins one. */
export function useReplay(live: Tree): { replay: Replay | null; begin(): void } {
  const version = useVersion(live);
  const moment = Number(useLocation().query.get('moment')) || null;
  const isOn = moment !== null;
  const tree = useMemo(() => (isOn ? new ReplayedTree(live) : null), [live, isOn]);
  const times = useMemo(() => {
    void version;
    return isOn ? timesOf(live) : [];
  }, [live, isOn, version]);
  const [at, setAt] = useState(moment ?? 0);
  const [playing, setPlaying] = useState(false);
  const [speed, setSpeed] = useState<Speed>(1);
  // A link, or a step back in the history, names another moment.
  useEffect(() => {
    if (moment !== null) setAt(moment);
    else setPlaying(false);
  }, [moment]);
  usePlay({ playing, speed, times, setAt });
  useEffect(() => {
    if (!isOn || playing) return;
    const timer = setTimeout(() => patchQuery({ moment: Math.round(at) }), restMs);
    return () => clearTimeout(timer);
  }, [at, isOn, playing]);
  const [first = at, last = at] = [times[0], times.at(-1)];
  const shown = Math.min(Math.max(at, first), last);
  const isOver = times.length > 0 && at >= last;
  useEffect(() => {
    if (isOver) setPlaying(false);
  }, [isOver]);
  // Before the page is drawn, which reads the tree as it stands at the moment.
  useMemo(() => {
    void version;
    tree?.moveTo(shown);
  }, [tree, shown, version]);
  const begin = () => {
    const [from = null] = timesOf(live);
    if (from === null) return;
    patchQuery({ moment: from, tab: null, at: null });
    setAt(from);
    setPlaying(true);
  };
  if (!tree) return { replay: null, begin };
  const seek = (to: number) => {
    setPlaying(false);
    setAt(to);
  };
  const toggle = () => {
    if (!playing && shown >= last) setAt(first);
    setPlaying(!playing);
  };
  const step = (by: 1 | -1) => seek(stepFrom(times, shown, by));
  const leave = () => patchQuery({ moment: null });
  return { replay: { tree, times, at: shown, playing, speed, setSpeed, toggle, seek, step, leave }, begin };
}

interface Play {
  playing: boolean;
  speed: number;
  times: readonly number[];
  setAt(move: (at: number) => number): void;
}

/** Moves the playhead at each frame. */
function usePlay({ playing, speed, times, setAt }: Play) {
  useEffect(() => {
    if (!playing) return;
    let frame = 0;
    let before = performance.now();
    const move = (now: number) => {
      const elapsed = now - before;
      before = now;
      setAt((at) => playedTo(times, Math.max(at, times[0] ?? at), elapsed, speed));
      frame = requestAnimationFrame(move);
    };
    frame = requestAnimationFrame(move);
    return () => cancelAnimationFrame(frame);
  }, [playing, speed, times, setAt]);
}
