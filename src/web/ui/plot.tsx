// Line and bar plots in SVG, with the figures under the pointer and a table for screen readers.
import { type PointerEvent, useEffect, useRef, useState } from 'react';
import { formatDate, t } from '../base/i18n.ts';
import { frame, nearestTime, type Scale, type Series, scaleOf } from './scale.ts';

/** A scale of their own: colours of status mean something else. */
const colors = [1, 2, 3, 4, 5, 6].map((n) => `var(--chart-${n})`);
const colorOf = (index: number): string => colors[index % colors.length] ?? '';
const widestBar = 40;

function useWidth() {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(600);
  useEffect(() => {
    if (!box.current) return;
    const watcher = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 600));
    watcher.observe(box.current);
    return () => watcher.disconnect();
  }, []);
  return { box, width };
}

type Format = (value: number) => string;

/** What every part of a plot is drawn by. */
interface Drawn {
  scale: Scale;
  format: Format;
}

interface PlotProps {
  label: string;
  series: readonly Series[];
  kind?: 'line' | 'bar';
  format: Format;
  /** Times that are on the axis even where nothing happened, ms. */
  axis?: readonly number[];
}

const valueAt = (series: Series, at: number): number => series.points.find((point) => point.at === at)?.value ?? 0;

export function Plot({ label, series, kind = 'line', format, axis = [] }: PlotProps) {
  const { box, width } = useWidth();
  const [hover, setHover] = useState<number | null>(null);
  const scale = scaleOf(series, kind, axis, width);
  const { times, x } = scale;
  const onMove = (event: PointerEvent) => {
    const at = event.clientX - event.currentTarget.getBoundingClientRect().left;
    setHover(nearestTime(scale, at));
  };
  return (
    <div className="plot-box" ref={box}>
      <svg
        className="plot"
        viewBox={`0 0 ${width} ${frame.height}`}
        role="img"
        aria-label={label}
        onPointerMove={onMove}
        onPointerLeave={() => setHover(null)}
      >
        <Axes scale={scale} format={format} />
        {hover !== null && (
          <line className="hover-line" x1={x(hover)} x2={x(hover)} y1={frame.top} y2={frame.height - frame.bottom} />
        )}
        {kind === 'bar'
          ? times.map((at) => <Bars key={at} at={at} series={series} scale={scale} />)
          : series.map((one, index) => <Line key={one.name} series={one} color={colorOf(index)} scale={scale} />)}
      </svg>
      {series.length > 1 && (
        <div className="legend">
          {series.map((one, index) => (
            <span key={one.name}>
              <i style={{ background: colorOf(index) }} />
              {one.name}
            </span>
          ))}
        </div>
      )}
      {hover !== null && <Tip at={hover} series={series} scale={scale} format={format} />}
      {times.length === 0 && <p className="muted small">{t('No data in this period.')}</p>}
    </div>
  );
}

function Axes({ scale: { width, levels, times, every, x, y, timeText }, format }: Drawn) {
  return (
    <>
      {levels.map((value) => (
        <g key={value}>
          <line className="grid-line" x1={frame.left} x2={width} y1={y(value)} y2={y(value)} />
          <text x={frame.left - 6} y={y(value) + 4} textAnchor="end">
            {format(value)}
          </text>
        </g>
      ))}
      {times
        .filter((_, index) => index % every === 0)
        .map((at) => (
          <text key={at} x={x(at)} y={frame.height - 6} textAnchor="middle">
            {timeText(at)}
          </text>
        ))}
    </>
  );
}

/** The figures under the pointer, on the side where there is room. */
function Tip({ at, series, scale: { x, width }, format }: Drawn & { at: number; series: readonly Series[] }) {
  const place = x(at) > width / 2 ? { right: width - x(at) + 8 } : { left: x(at) + 8 };
  return (
    <div className="plot-tip" style={place}>
      <div className="muted">{formatDate(at)}</div>
      {series.map((one) => (
        <div key={one.name} className="num">
          {series.length > 1 && `${one.name}: `}
          <strong>{format(valueAt(one, at))}</strong>
        </div>
      ))}
    </div>
  );
}

function Bars({ at, series, scale: { x, y, slot } }: { at: number; series: readonly Series[]; scale: Scale }) {
  const width = Math.min(widestBar, Math.max(1, slot * 0.7));
  let below = 0;
  return series.map((one, index) => {
    const value = valueAt(one, at);
    const from = below;
    below += value;
    return value > 0 ? (
      <rect
        key={one.name}
        x={x(at) - width / 2}
        width={width}
        y={y(below)}
        height={y(from) - y(below)}
        fill={colorOf(index)}
        rx={1.5}
      />
    ) : null;
  });
}

function Line({ series, color, scale: { x, y } }: { series: Series; color: string; scale: Scale }) {
  const points = series.points.map((point) => `${x(point.at).toFixed(1)},${y(point.value).toFixed(1)}`).join(' ');
  const single = series.points.length === 1 ? series.points[0] : undefined;
  return single ? (
    <circle cx={x(single.at)} cy={y(single.value)} r={3} fill={color} />
  ) : (
    <polyline points={points} fill="none" stroke={color} strokeWidth={1.8} strokeLinejoin="round" />
  );
}
