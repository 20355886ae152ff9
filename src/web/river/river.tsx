// The river: a run and its descendants as streams over time, live, to look at, zoom and select in.
import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from 'react';
import { serverNow } from '../base/clock.ts';
import { formatDuration, t } from '../base/i18n.ts';
import { type Changing, useVersion } from '../base/store.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { drawRiver } from './draw.ts';
import { layoutRiver } from './layout.ts';
import { RiverTable } from './river-table.tsx';
import { axisSize, hit, rowSize, type Scene, type Target, timeAt } from './scene.ts';
import type { Track } from './track.ts';
import { type Frame, useCanvas } from './use-canvas.ts';
import { keyMove, pan, type ViewMode, viewOf, zoom } from './view.ts';

export interface RiverProps {
  changing: Changing;
  tracks: () => Iterable<Track>;
  rootId: number;
  labelOf: (runId: number) => string;
  selected: { runId: number; seq: number | null } | null;
  onSelect: (selection: { runId: number; seq: number | null }) => void;
}

/** On a phone the river runs down; what comes below it must still be seen, px. */
const phoneHeight = 300;
const maxHeight = 340;

function describe(target: Target, labelOf: (runId: number) => string): { title: string; detail: string } {
  const name = labelOf(target.lane.track.runId);
  if (target.kind === 'lane') return { title: name, detail: formatDuration(target.lane.to - target.lane.from) };
  if (target.kind === 'mark') return { title: target.item.label, detail: name };
  if (target.kind === 'end') return { title: t(target.lane.track.end?.kind ?? ''), detail: name };
  const { from, to, label } = target.item;
  return { title: label, detail: `${formatDuration((to ?? serverNow()) - from)}${to === null ? '…' : ''} · ${name}` };
}

interface Drag {
  x: number;
  brushing: boolean;
  moved: boolean;
}

export function River(props: RiverProps) {
  const { changing, tracks, rootId, labelOf, selected, onSelect } = props;
  useVersion(changing);
  const canvas = useRef<HTMLCanvasElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const scene = useRef<Scene | null>(null);
  const drag = useRef<Drag | null>(null);
  const [mode, setMode] = useState<ViewMode>({ kind: 'fit' });
  const [table, setTable] = useState(false);
  const [tip, setTip] = useState<{ x: number; y: number; target: Target } | null>(null);
  const [brush, setBrush] = useState<{ from: number; to: number } | null>(null);
  const vertical = useNarrow();

  const all = [...tracks()];
  const live = all.some((track) => track.end === null);
  const rowCount = useRef(1);
  const build = (width: number, height: number): Scene => {
    const now = serverNow();
    const river = layoutRiver(tracks(), rootId, now);
    rowCount.current = river.rows;
    const [length, breadth] = vertical ? [height, width] : [width, height];
    const scroll = scroller.current?.[vertical ? 'scrollLeft' : 'scrollTop'] ?? 0;
    return { river, view: viewOf(mode, river, live), length, breadth, vertical, scroll, now };
  };
  const draw = ({ ctx, width, height, palette, phase }: Frame) => {
    scene.current = build(width, height);
    const hovered = tip ? { runId: tip.target.lane.track.runId, seq: tip.target.item?.seq ?? null } : null;
    drawRiver({ ctx, scene: scene.current, palette, phase, selected, hovered, labelOf });
  };
  useCanvas(canvas, draw, () => live && !table);
  useWheel(canvas, scene, setMode);

  const rows = layoutRiver(all, rootId, serverNow()).rows;
  const size = Math.max(2, rows) * rowSize + axisSize + 8;
  const at = (event: PointerEvent) => {
    const box = event.currentTarget.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
  };
  const lengthwise = (p: { x: number; y: number }) => (vertical ? p.y : p.x);

  const onPointerDown = (event: PointerEvent<HTMLCanvasElement>) => {
    event.currentTarget.setPointerCapture(event.pointerId);
    drag.current = { x: lengthwise(at(event)), brushing: event.shiftKey || mode.kind === 'fit', moved: false };
  };
  const onPointerMove = (event: PointerEvent<HTMLCanvasElement>) => {
    const p = at(event);
    const held = drag.current;
    if (!scene.current) return;
    if (!held) {
      const target = hit(scene.current, p.x, p.y);
      setTip(target ? { ...p, target } : null);
      return;
    }
    const delta = lengthwise(p) - held.x;
    if (Math.abs(delta) > 4) held.moved = true;
    if (!held.moved || event.pointerType === 'touch') return;
    if (held.brushing) setBrush({ from: Math.min(held.x, lengthwise(p)), to: Math.max(held.x, lengthwise(p)) });
    else {
      const { view, length, river } = scene.current;
      setMode(pan(view, (-delta / length) * (view.to - view.from), river));
      held.x = lengthwise(p);
    }
  };
  const onPointerUp = (event: PointerEvent<HTMLCanvasElement>) => {
    const held = drag.current;
    drag.current = null;
    if (!scene.current) return;
    if (brush && held?.moved) {
      setMode({ kind: 'free', from: timeAt(scene.current, brush.from), to: timeAt(scene.current, brush.to) });
      setBrush(null);
      return;
    }
    if (held?.moved) return;
    const p = at(event);
    const target = hit(scene.current, p.x, p.y);
    if (target) onSelect({ runId: target.lane.track.runId, seq: target.item?.seq ?? null });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (!scene.current) return;
    const { view, river } = scene.current;
    const move = keyMove(event.key, view, river);
    if (!move) return;
    event.preventDefault();
    setMode(move);
  };
  const zoomBy = (factor: number) => {
    if (!scene.current) return;
    const { view, river } = scene.current;
    setMode(zoom(view, (view.from + view.to) / 2, factor, river));
  };

  return (
    <section className="river" aria-label={t('River of the run')}>
      <div className="river-tools">
        <Legend />
        {!table && (
          <>
            <Button size="small" pressed={mode.kind === 'fit'} onClick={() => setMode({ kind: 'fit' })}>
              {t('Fit')}
            </Button>
            {live && (
              <Button
                size="small"
                pressed={mode.kind === 'follow'}
                onClick={() => setMode({ kind: 'follow', spanMs: 60_000 })}
              >
                {t('Follow now')}
              </Button>
            )}
            <IconButton icon="minus" label={t('Zoom out')} onClick={() => zoomBy(1.5)} />
            <IconButton icon="plus" label={t('Zoom in')} onClick={() => zoomBy(0.65)} />
          </>
        )}
        <Button size="small" pressed={table} onClick={() => setTable(!table)}>
          {t('Table')}
        </Button>
      </div>
      {table ? (
        <RiverTable tracks={all} rootId={rootId} labelOf={labelOf} onSelect={onSelect} />
      ) : (
        <div className="river-scroll" ref={scroller} data-vertical={vertical} onScroll={() => setTip(null)}>
          <div className="river-bed" style={vertical ? { width: size, height: phoneHeight } : { height: size }}>
            <canvas
              ref={canvas}
              tabIndex={0}
              role="img"
              aria-label={t(
                '{n} runs over time. Arrow keys move, plus and minus zoom, 0 fits; the table view says the same in words.',
                { n: all.length },
              )}
              style={vertical ? { width: size, height: phoneHeight } : { height: Math.min(size, maxHeight) }}
              onPointerDown={onPointerDown}
              onPointerMove={onPointerMove}
              onPointerUp={onPointerUp}
              onPointerLeave={() => setTip(null)}
              onDoubleClick={() => setMode({ kind: 'fit' })}
              onKeyDown={onKeyDown}
            />
            {brush && (
              <div
                className="river-brush"
                style={
                  vertical
                    ? { top: brush.from, height: brush.to - brush.from, left: 0, right: 0 }
                    : { left: brush.from, width: brush.to - brush.from }
                }
              />
            )}
            {tip && <Tip {...tip} labelOf={labelOf} width={canvas.current?.clientWidth ?? 0} />}
          </div>
        </div>
      )}
    </section>
  );
}

/** What the shapes mean; it explains itself once and stays out of the way. */
function Legend() {
  return (
    <div className="river-legend" aria-hidden="true">
      <span>
        <i data-kind="model" />
        {t('model')}
      </span>
      <span>
        <i data-kind="tool" />
        {t('tool')}
      </span>
      <span>
        <i data-kind="sandbox" />
        {t('sandboxed')}
      </span>
      <span>
        <i data-kind="gate" />
        {t('decision')}
      </span>
    </div>
  );
}

function Tip({
  x,
  y,
  target,
  labelOf,
  width,
}: {
  x: number;
  y: number;
  target: Target;
  labelOf: RiverProps['labelOf'];
  width: number;
}) {
  const { title, detail } = describe(target, labelOf);
  return (
    <div className="river-tip" role="tooltip" style={{ left: Math.min(x + 12, Math.max(0, width - 240)), top: y + 16 }}>
      <strong>{title}</strong>
      <span>{detail}</span>
    </div>
  );
}

/** Wheel with ⌘ or Ctrl (and pinch) zooms, sideways moves; a plain wheel scrolls the page as ever. */
function useWheel(
  canvas: React.RefObject<HTMLCanvasElement | null>,
  scene: React.RefObject<Scene | null>,
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
        setMode(zoom(view, timeAt(current, pixel), 1.0015 ** event.deltaY, river));
      } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
        event.preventDefault();
        setMode(pan(view, (event.deltaX / length) * (view.to - view.from), river));
      }
    };
    element.addEventListener('wheel', onWheel, { passive: false });
    return () => element.removeEventListener('wheel', onWheel);
  });
}

function useNarrow(): boolean {
  const [narrow, setNarrow] = useState(() => window.matchMedia('(max-width: 640px)').matches);
  useEffect(() => {
    const query = window.matchMedia('(max-width: 640px)');
    const onChange = () => setNarrow(query.matches);
    query.addEventListener('change', onChange);
    return () => query.removeEventListener('change', onChange);
  }, []);
  return narrow;
}
