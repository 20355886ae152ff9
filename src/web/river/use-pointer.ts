// Pointer and wheel on a river: point at things, choose them, brush a span of time, drag and zoom.
import { type PointerEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { foldAt, hit, placeAt, type Scene } from './scene.ts';
import type { Pointed } from './tip.tsx';
import { pan, type ViewMode, zoom } from './view.ts';

interface Drag {
  /** Where it is along time, px. */
  at: number;
  brushing: boolean;
  moved: boolean;
}

/** A pointer that moved less than this has not moved, px. */
const slack = 4;

interface Options {
  scene: RefObject<Scene | null>;
  mode: ViewMode;
  setMode: (mode: ViewMode) => void;
  onSelect: (selection: { runId: number; seq: number | null }) => void;
  onUnfold: (from: number) => void;
}

export function usePointer({ scene, mode, setMode, onSelect, onUnfold }: Options) {
  const drag = useRef<Drag | null>(null);
  const [tip, setTip] = useState<Pointed | null>(null);
  /** The span that is being brushed, px along time. */
  const [brush, setBrush] = useState<{ from: number; to: number } | null>(null);

  const place = (event: PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    return { x, y, at: scene.current?.vertical ? y : x };
  };
  const onPointerDown = (event: PointerEvent) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { at: place(event).at, brushing: event.shiftKey || mode.kind === 'fit', moved: false };
  };
  const onPointerMove = (event: PointerEvent) => {
    const { x, y, at } = place(event);
    const held = drag.current;
    if (!scene.current) return;
    if (!held) {
      const target = hit(scene.current, x, y);
      setTip(target ? { x, y, target } : null);
      return;
    }
    if (Math.abs(at - held.at) > slack) held.moved = true;
    if (!held.moved || event.pointerType === 'touch') return;
    if (held.brushing) return setBrush({ from: Math.min(held.at, at), to: Math.max(held.at, at) });
    const { view, length, river } = scene.current;
    setMode(pan(view, ((held.at - at) / length) * (view.to - view.from), river));
    held.at = at;
  };
  const onPointerUp = (event: PointerEvent) => {
    const held = drag.current;
    drag.current = null;
    if (!scene.current) return;
    if (brush && held?.moved) {
      setMode({ kind: 'free', from: placeAt(scene.current, brush.from), to: placeAt(scene.current, brush.to) });
      setBrush(null);
      return;
    }
    if (held?.moved) return;
    const { x, y, at } = place(event);
    const fold = foldAt(scene.current, at);
    if (fold) return onUnfold(fold.from);
    const target = hit(scene.current, x, y);
    if (target) onSelect({ runId: target.lane.track.runId, seq: target.item?.seq ?? null });
  };
  const forget = () => setTip(null);
  return { tip, brush, forget, handlers: { onPointerDown, onPointerMove, onPointerUp, onPointerLeave: forget } };
}

/** Wheel with ⌘ or Ctrl (and pinch) zooms, sideways moves; a plain wheel scrolls the page as ever. */
export function useWheel(
  canvas: RefObject<HTMLCanvasElement | null>,
  scene: RefObject<Scene | null>,
  setMode: (mode: ViewMode) => void,
) {
  useEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const onWheel = (event: WheelEvent) => {
      const current = scene.current;
      if (!current) return;
      const { view, length, river } = current;
      if (event.ctrlKey || event.metaKey) {
        event.preventDefault();
        const pixel = current.vertical ? event.offsetY : event.offsetX;
        setMode(zoom(view, placeAt(current, pixel), 1.0015 ** event.deltaY, river));
      } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        setMode(pan(view, (event.deltaX / length) * (view.to - view.from), river));
      }
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  });
}
