// The river: a run and its descendants as streams over time, live, to look at, zoom and select in.
import { type KeyboardEvent, type RefObject, useRef, useState } from 'react';
import { serverNow } from '../base/clock.ts';
import { t } from '../base/i18n.ts';
import { useNarrow } from '../base/narrow.ts';
import { type Changing, useVersion } from '../base/store.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { drawRiver } from './draw.ts';
import { type Fold, foldsOf, warp } from './folds.ts';
import { layoutRiver } from './layout.ts';
import { Legend } from './legend.tsx';
import { RiverTable } from './river-table.tsx';
import { breadthOf, isNamed, namedPitchFor, pitchFor, type Scene } from './scene.ts';
import { Tip } from './tip.tsx';
import type { Track } from './track.ts';
import { type Frame, useCanvas } from './use-canvas.ts';
import { usePointer, useWheel } from './use-pointer.ts';
import { keyMove, type ViewMode, viewOf, zoom } from './view.ts';

export interface RiverProps {
  changing: Changing;
  tracks: () => Iterable<Track>;
  rootId: number;
  labelOf: (runId: number) => string;
  selected: { runId: number; seq: number | null } | null;
  onSelect: (selection: { runId: number; seq: number | null }) => void;
  /** The moment that is shown, ms since 1970; the present unless given. */
  now?: () => number;
  /** End of the time that is drawn, where it lies after that moment. */
  until?: number | undefined;
}

/** On a phone the river runs down; what comes below it must still be seen, px. */
const phoneHeight = 176;
const maxHeight = 330;
/** Of the window's height; the rest is for what happened. */
const maxShare = 0.32;
/** What a phone's screen has beside the river, px. */
const phoneMargins = 34;

export function River({ changing, ...props }: RiverProps) {
  useVersion(changing);
  const { rootId, labelOf, onSelect, now = serverNow } = props;
  const tracks = [...props.tracks()];
  const live = tracks.some((track) => track.end === null);
  const scene = useRef<Scene | null>(null);
  const [mode, setMode] = useState<ViewMode>({ kind: 'fit' });
  const [table, setTable] = useState(false);
  const [named, setNamed] = useState(false);
  const vertical = useNarrow(640);
  const folding = useFolding(now);
  const { rows } = layoutRiver(tracks, rootId, now());
  const highest = Math.min(maxHeight, window.innerHeight * maxShare);
  const room = vertical ? window.innerWidth - phoneMargins : highest;
  const crowded = !isNamed(pitchFor(rows, room));
  const pitch = named ? namedPitchFor(rows, room) : pitchFor(rows, room);
  return (
    <section className="river" aria-label={t('River of the run')}>
      <div className="river-tools">
        <Legend />
        {!table && (
          <>
            {crowded && !vertical && (
              <Button size="small" pressed={named} onClick={() => setNamed(!named)}>
                {t('Names')}
              </Button>
            )}
            {folding.some(tracks) && (
              <Button size="small" pressed={folding.on} onClick={folding.toggle}>
                {t('Collapse waits')}
              </Button>
            )}
            <TimeTools mode={mode} setMode={setMode} live={live} scene={scene} />
          </>
        )}
        <Button size="small" pressed={table} onClick={() => setTable(!table)}>
          {t('Table')}
        </Button>
      </div>
      {table ? (
        <RiverTable {...{ tracks, rootId, labelOf, onSelect, now }} />
      ) : (
        <Bed
          {...props}
          runs={tracks.length}
          size={breadthOf(rows, pitch)}
          {...{ pitch, highest, vertical, live, mode, setMode, scene, folding }}
        />
      )}
    </section>
  );
}

interface TimeToolsProps {
  mode: ViewMode;
  setMode: (mode: ViewMode) => void;
  live: boolean;
  scene: RefObject<Scene | null>;
}

function TimeTools({ mode, setMode, live, scene }: TimeToolsProps) {
  const zoomBy = (factor: number) => {
    if (!scene.current) return;
    const { view, river } = scene.current;
    setMode(zoom(view, (view.from + view.to) / 2, factor, river));
  };
  return (
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
  );
}

interface BedProps extends TimeToolsProps, Omit<RiverProps, 'changing'> {
  runs: number;
  /** Pixels from row to row, and of all rows. */
  pitch: number;
  size: number;
  /** What is higher scrolls, px. */
  highest: number;
  vertical: boolean;
  folding: Folding;
}

/** The drawing itself, and what a pointer, a wheel and keys do to it. */
function Bed(props: BedProps) {
  const { tracks, rootId, labelOf, selected, onSelect, runs, pitch, size, highest, vertical, live } = props;
  const { mode, setMode, scene, folding } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const { tip, brush, forget, handlers } = usePointer({ scene, mode, setMode, onSelect, onUnfold: folding.unfold });
  const draw = ({ ctx, width, height, palette, phase }: Frame) => {
    const now = (props.now ?? serverNow)();
    const all = [...tracks()];
    const river = layoutRiver(all, rootId, now);
    const folds = folding.of(all, now);
    const bounds = { ...river, to: warp(folds, Math.max(river.to, props.until ?? 0)) };
    const view = viewOf(mode, bounds, live);
    const [length, breadth] = vertical ? [height, width] : [width, height];
    const scroll = vertical ? 0 : (scroller.current?.scrollTop ?? 0);
    scene.current = { river: bounds, view, length, breadth, vertical, scroll, pitch, now, folds };
    const hovered = tip ? { runId: tip.target.lane.track.runId, seq: tip.target.item?.seq ?? null } : null;
    drawRiver({ ctx, scene: scene.current, palette, phase, selected, hovered, labelOf });
  };
  const redraw = useCanvas(canvas, draw, () => live);
  useWheel(canvas, scene, setMode);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!scene.current) return;
    const { view, river } = scene.current;
    const move = keyMove(event.key, view, river);
    if (!move) return;
    event.preventDefault();
    setMode(move);
  };
  const onScroll = () => {
    forget();
    redraw();
  };
  const bed = vertical ? { width: size, height: phoneHeight } : { height: size };
  return (
    <div
      className="river-scroll"
      ref={scroller}
      data-vertical={vertical}
      onScroll={onScroll}
      style={vertical ? {} : { maxHeight: highest }}
    >
      <div className="river-bed" style={bed}>
        <canvas
          ref={canvas}
          tabIndex={0}
          role="img"
          aria-label={t(
            '{n} runs over time. Arrow keys move, plus and minus zoom, 0 fits; the table view says the same in words.',
            { n: runs },
          )}
          style={vertical ? bed : { height: Math.min(size, highest) }}
          onDoubleClick={() => setMode({ kind: 'fit' })}
          onKeyDown={onKeyDown}
          {...handlers}
        />
        {brush && <div className="river-brush" style={brushStyle(brush, vertical)} />}
        {tip && (
          <Tip {...tip} labelOf={labelOf} now={props.now ?? serverNow} width={canvas.current?.clientWidth ?? 0} />
        )}
      </div>
    </div>
  );
}

const brushStyle = ({ from, to }: { from: number; to: number }, vertical: boolean) =>
  vertical ? { top: from, height: to - from, left: 0, right: 0 } : { left: from, width: to - from };

interface Folding {
  on: boolean;
  toggle: () => void;
  /** Opens the wait that begins at a time, ms. */
  unfold: (from: number) => void;
  of: (tracks: readonly Track[], now: number) => Fold[];
  /** True when there is something to fold. */
  some: (tracks: readonly Track[]) => boolean;
}

const none: ReadonlySet<number> = new Set();

/** Which long waits take little room: all of them, but those that the reader opened. */
function useFolding(now: () => number): Folding {
  const [on, setOn] = useState(true);
  const [open, setOpen] = useState(none);
  return {
    on,
    toggle: () => {
      setOn(!on || open.size > 0);
      setOpen(none);
    },
    unfold: (from) => setOpen((all) => new Set(all).add(from)),
    of: (tracks, at) => (on ? foldsOf(tracks, at, open) : []),
    some: (tracks) => foldsOf(tracks, now(), none).length > 0,
  };
}
