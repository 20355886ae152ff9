// Which part of time is in view: all of it, the latest minute, or what the reader chose.
import type { River } from './layout.ts';
import type { View } from './scene.ts';

export type ViewMode = { kind: 'fit' } | { kind: 'follow'; spanMs: number } | ({ kind: 'free' } & View);

const leastSpan = 50;

/** The view for a mode; a live river leaves a little room ahead of now. */
export function viewOf(mode: ViewMode, river: River, live: boolean): View {
  const ahead = (span: number) => (live ? span * 0.04 : span * 0.015);
  if (mode.kind === 'free') return { from: mode.from, to: Math.max(mode.to, mode.from + leastSpan) };
  if (mode.kind === 'follow') return { from: river.to - mode.spanMs, to: river.to + ahead(mode.spanMs) };
  const span = Math.max(1000, river.to - river.from);
  return { from: river.from - span * 0.012, to: river.from + span + ahead(span) };
}

/** Zooms about a time that stays where it is; `factor` below 1 zooms in. */
export function zoom(view: View, at: number, factor: number, river: River): ViewMode {
  const span = Math.max(leastSpan, (view.to - view.from) * factor);
  if (span >= (river.to - river.from) * 1.1) return { kind: 'fit' };
  const from = at - (at - view.from) * (span / (view.to - view.from));
  return { kind: 'free', from, to: from + span };
}

export function pan(view: View, ms: number, river: River): ViewMode {
  const span = view.to - view.from;
  const from = Math.min(Math.max(view.from + ms, river.from - span * 0.5), river.to - span * 0.5);
  return { kind: 'free', from, to: from + span };
}

/** What a key does to the view; null for other keys. */
export function keyMove(key: string, view: View, river: River): ViewMode | null {
  const span = view.to - view.from;
  const middle = view.from + span / 2;
  switch (key) {
    case 'ArrowLeft':
      return pan(view, -span / 8, river);
    case 'ArrowRight':
      return pan(view, span / 8, river);
    case '+':
    case '=':
      return zoom(view, middle, 0.7, river);
    case '-':
      return zoom(view, middle, 1.4, river);
    case '0':
      return { kind: 'fit' };
    default:
      return null;
  }
}
