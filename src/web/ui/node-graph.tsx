// A graph that can be walked: circles and lines in SVG, laid out by forces; arrows move the focus, Enter goes there.
import { type KeyboardEvent, type PointerEvent, useEffect, useMemo, useRef, useState } from 'react';
import { t } from '../base/i18n.ts';
import { IconButton } from './button.tsx';
import { type GraphEdge, type GraphNode, layoutOf, type Placed, toward } from './node-layout.ts';

interface Props {
  /** What the graph shows. */
  label: string;
  nodes: readonly GraphNode[];
  edges: readonly GraphEdge[];
  /** Where the walk is. */
  current: number | null;
  onWalk: (id: number) => void;
}

interface View {
  x: number;
  y: number;
  width: number;
}

/** Pixels, of a graph of a few nodes and of many. */
const heights = { few: 280, many: 440 } as const;
const few = 9;
const [nearest, farthest] = [0.4, 3];
const steps: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

export function NodeGraph({ label, nodes, edges, current, onWalk }: Props) {
  const placed = useMemo(() => layoutOf(nodes, edges), [nodes, edges]);
  const [focused, setFocused] = useState<number | null>(null);
  const height = nodes.length > few ? heights.many : heights.few;
  const svg = useRef<SVGSVGElement>(null);
  const width = useWidthOf(svg);
  const fit = useMemo(() => fitOf(placed, width, height), [placed, width, height]);
  const [moved, setMoved] = useState<View | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another graph is looked at as a whole first
  useEffect(() => setMoved(null), [placed]);
  const view = moved ?? fit;
  const drag = useDrag(view, width, setMoved);
  const zoom = (by: number) => setMoved(zoomed(view, fit, by, height / width));
  const entry = placed.some(({ id }) => id === focused) ? focused : (current ?? placed[0]?.id ?? null);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = steps[event.key];
    const from = placed.find(({ id }) => id === entry);
    if (!step || !from) return;
    event.preventDefault();
    const next = toward(from, placed, step);
    if (next) svg.current?.querySelector<SVGGElement>(`[data-node="${next.id}"]`)?.focus();
  };
  const at = new Map(placed.map((one) => [one.id, one]));
  return (
    <div className="node-graph">
      {/* biome-ignore lint/a11y/useSemanticElements: nothing else groups parts of a drawing */}
      <svg
        ref={svg}
        role="group"
        aria-label={label}
        viewBox={`${view.x} ${view.y} ${view.width} ${(view.width * height) / width}`}
        height={height}
        onKeyDown={onKeyDown}
        {...drag}
      >
        {edges.map((edge) => (
          <Line
            key={edge.id}
            edge={edge}
            from={at.get(edge.from)}
            to={at.get(edge.to)}
            on={edge.from === current || edge.to === current}
          />
        ))}
        {placed.map((one) => (
          <Node
            key={one.id}
            node={one}
            isCurrent={one.id === current}
            isEntry={one.id === entry}
            onFocus={() => setFocused(one.id)}
            onWalk={() => onWalk(one.id)}
          />
        ))}
      </svg>
      <div className="node-graph-tools">
        <IconButton icon="plus" label={t('Closer')} onClick={() => zoom(0.8)} />
        <IconButton icon="minus" label={t('Farther')} onClick={() => zoom(1.25)} />
        <IconButton icon="refresh" label={t('Show all')} onClick={() => setMoved(null)} />
      </div>
    </div>
  );
}

interface LineProps {
  edge: GraphEdge;
  from: Placed | undefined;
  to: Placed | undefined;
  on: boolean;
}

function Line({ edge, from, to, on }: LineProps) {
  if (!from || !to) return null;
  const [x, y] = [(from.x + to.x) / 2, (from.y + to.y) / 2];
  return (
    <g className="graph-edge" data-on={on || undefined} data-marked={edge.marked || undefined}>
      <line
        x1={from.x}
        y1={from.y}
        x2={to.x}
        y2={to.y}
        strokeWidth={0.8 + 2.6 * edge.weight}
        strokeDasharray={edge.dashed ? '4 4' : undefined}
      />
      {(on || edge.marked) && (
        <text x={x} y={y - 3} textAnchor="middle">
          {edge.label}
        </text>
      )}
    </g>
  );
}

interface NodeProps {
  node: Placed;
  isCurrent: boolean;
  isEntry: boolean;
  onFocus: () => void;
  onWalk: () => void;
}

const longestLabel = 24;
const short = (text: string) => (text.length > longestLabel ? `${text.slice(0, longestLabel - 1)}…` : text);

function Node({ node, isCurrent, isEntry, onFocus, onWalk }: NodeProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    onWalk();
  };
  return (
    // biome-ignore lint/a11y/useSemanticElements: a drawing has no button of its own
    <g
      className="graph-node"
      role="button"
      tabIndex={isEntry ? 0 : -1}
      data-node={node.id}
      data-tone={node.tone}
      data-marked={node.marked || undefined}
      aria-label={[node.label, node.detail].filter(Boolean).join(', ')}
      aria-current={isCurrent ? 'true' : undefined}
      transform={`translate(${node.x} ${node.y})`}
      onFocus={onFocus}
      onClick={onWalk}
      onKeyDown={onKeyDown}
    >
      <title>{node.label}</title>
      <circle className="hit" r={Math.max(16, node.radius + 4)} />
      <circle className="dot" r={node.radius} />
      <text y={node.radius + 13} textAnchor="middle">
        {short(node.label)}
      </text>
    </g>
  );
}

function useWidthOf(box: React.RefObject<SVGSVGElement | null>): number {
  const [width, setWidth] = useState(640);
  useEffect(() => {
    if (!box.current) return;
    const watcher = new ResizeObserver(([entry]) => setWidth(Math.max(200, entry?.contentRect.width ?? 640)));
    watcher.observe(box.current);
    return () => watcher.disconnect();
  }, [box]);
  return width;
}

/** All of it, with room for the labels, and hardly larger than life. */
function fitOf(placed: readonly Placed[], width: number, height: number): View {
  const xs = placed.map(({ x }) => x);
  const ys = placed.map(({ y }) => y);
  const [left, right] = [Math.min(0, ...xs) - 90, Math.max(0, ...xs) + 90];
  const [top, bottom] = [Math.min(0, ...ys) - 40, Math.max(0, ...ys) + 50];
  const wide = Math.max(right - left, ((bottom - top) * width) / height, width * 0.8);
  const tall = (wide * height) / width;
  return { x: (left + right - wide) / 2, y: (top + bottom - tall) / 2, width: wide };
}

function zoomed(view: View, fit: View, by: number, ratio: number): View {
  const wide = Math.min(Math.max(view.width * by, fit.width * nearest * 0.5), fit.width * farthest);
  return { x: view.x + (view.width - wide) / 2, y: view.y + ((view.width - wide) * ratio) / 2, width: wide };
}

/** The ground is moved by the pointer; what is on it is pressed. */
function useDrag(view: View, width: number, onMove: (view: View) => void) {
  const from = useRef<{ x: number; y: number; view: View } | null>(null);
  const isGround = (event: PointerEvent) => event.target === event.currentTarget;
  return {
    onPointerDown: (event: PointerEvent<SVGSVGElement>) => {
      if (!isGround(event)) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      from.current = { x: event.clientX, y: event.clientY, view };
    },
    onPointerMove: (event: PointerEvent<SVGSVGElement>) => {
      const start = from.current;
      if (!start) return;
      const scale = start.view.width / width;
      const [x, y] = [(start.x - event.clientX) * scale, (start.y - event.clientY) * scale];
      onMove({ ...start.view, x: start.view.x + x, y: start.view.y + y });
    },
    onPointerUp: () => {
      from.current = null;
    },
  };
}
