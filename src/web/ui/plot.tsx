// Line and bar plots in SVG, with the figures under the pointer and a table for screen readers.
import { type PointerEvent, useEffect, useRef, useState } from 'react';
import { formatDate, t } from '../base/i18n.ts';

export interface Series {
  name: string;
  points: { at: number; value: number }[];
}

const colors = ['var(--accent)', 'var(--violet)', 'var(--warn)', 'var(--good)', 'var(--bad)', 'var(--faint)'];
const left = 52;
const bottom = 22;
const top = 8;
const height = 200;
const widestBar = 40;

/** 1, 2 or 5 times a power of ten, so that `parts` steps reach the top. */
function niceStep(max: number, parts: number): number {
  const raw = Math.max(max, 1e-9) / parts;
  const power = 10 ** Math.floor(Math.log10(raw));
  return ([1, 2, 5, 10].find((factor) => factor * power >= raw) ?? 10) * power;
}

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

interface PlotProps {
  label: string;
  series: readonly Series[];
  kind?: 'line' | 'bar';
  format: (value: number) => string;
  /** Times that are on the axis even where nothing happened, ms. */
  axis?: readonly number[];
}

export function Plot({ label, series, kind = 'line', format, axis = [] }: PlotProps) {
  const { box, width } = useWidth();
  const [hover, setHover] = useState<number | null>(null);
  const times = [...new Set([...axis, ...series.flatMap((one) => one.points.map((point) => point.at))])].sort(
    (a, b) => a - b,
  );
  const stacked = kind === 'bar';
  const totalAt = (at: number) =>
    series.reduce((sum, one) => sum + (one.points.find((point) => point.at === at)?.value ?? 0), 0);
  const max = stacked
    ? Math.max(0, ...times.map(totalAt))
    : Math.max(0, ...series.flatMap((one) => one.points.map((point) => point.value)));
  const step = niceStep(max, 4);
  const limit = Math.max(step, Math.ceil(max / step) * step);
  const quiet = max === 0;
  const [first = 0, last = 1] = [times[0], times.at(-1)];
  const slot = (width - left - 8) / Math.max(1, times.length);
  const x = (at: number) =>
    stacked || times.length < 2
      ? left + (times.indexOf(at) + 0.5) * slot
      : left + ((at - first) / Math.max(1, last - first)) * (width - left - 12);
  const y = (value: number) => top + (1 - value / limit) * (height - top - bottom);
  const onMove = (event: PointerEvent) => {
    const at = event.clientX - event.currentTarget.getBoundingClientRect().left;
    const nearest = times.reduce<number | null>(
      (best, time) => (best === null || Math.abs(x(time) - at) < Math.abs(x(best) - at) ? time : best),
      null,
    );
    setHover(nearest);
  };
  const levels = quiet ? [0] : Array.from({ length: Math.round(limit / step) + 1 }, (_, i) => i * step);
  const day = last - first > 172_800_000;
  const timeText = (at: number) =>
    new Intl.DateTimeFormat(
      undefined,
      day ? { month: 'short', day: 'numeric', timeZone: 'UTC' } : { hour: '2-digit', minute: '2-digit' },
    ).format(at);
  const every = Math.ceil(times.length / Math.max(1, Math.floor((width - left) / 80)));
  return (
    <div className="plot-box" ref={box}>
      <svg
        className="plot"
        viewBox={`0 0 ${width} ${height}`}
        role="img"
        aria-label={label}
        onPointerMove={onMove}
        onPointerLeave={() => setHover(null)}
      >
        {levels.map((value) => (
          <g key={value}>
            <line className="grid-line" x1={left} x2={width} y1={y(value)} y2={y(value)} />
            <text x={left - 6} y={y(value) + 4} textAnchor="end">
              {format(value)}
            </text>
          </g>
        ))}
        {times
          .filter((_, index) => index % every === 0)
          .map((at) => (
            <text key={at} x={x(at)} y={height - 6} textAnchor="middle">
              {timeText(at)}
            </text>
          ))}
        {hover !== null && <line className="hover-line" x1={x(hover)} x2={x(hover)} y1={top} y2={height - bottom} />}
        {stacked
          ? times.map((at) => (
              <Bars
                key={at}
                at={at}
                series={series}
                x={x(at)}
                width={Math.min(widestBar, Math.max(1, slot * 0.7))}
                y={y}
              />
            ))
          : series.map((one, index) => (
              <Line key={one.name} series={one} color={colors[index % colors.length] ?? ''} x={x} y={y} />
            ))}
      </svg>
      {series.length > 1 && (
        <div className="legend">
          {series.map((one, index) => (
            <span key={one.name}>
              <i style={{ background: colors[index % colors.length] }} />
              {one.name}
            </span>
          ))}
        </div>
      )}
      {hover !== null && (
        <div
          className="plot-tip"
          style={x(hover) > width / 2 ? { right: width - x(hover) + 8 } : { left: x(hover) + 8 }}
        >
          <div className="muted">{formatDate(hover)}</div>
          {series.map((one) => (
            <div key={one.name} className="num">
              {series.length > 1 && `${one.name}: `}
              <strong>{format(one.points.find((point) => point.at === hover)?.value ?? 0)}</strong>
            </div>
          ))}
        </div>
      )}
      {times.length === 0 && <p className="muted small">{t('No data in this span.')}</p>}
    </div>
  );
}

function Bars({
  at,
  series,
  x,
  y,
  width,
}: {
  at: number;
  series: readonly Series[];
  x: number;
  y: (value: number) => number;
  width: number;
}) {
  let below = 0;
  return series.map((one, index) => {
    const value = one.points.find((point) => point.at === at)?.value ?? 0;
    const from = below;
    below += value;
    return value > 0 ? (
      <rect
        key={one.name}
        x={x - width / 2}
        width={width}
        y={y(below)}
        height={y(from) - y(below)}
        fill={colors[index % colors.length]}
        rx={1.5}
      />
    ) : null;
  });
}

function Line({
  series,
  color,
  x,
  y,
}: {
  series: Series;
  color: string;
  x: (at: number) => number;
  y: (value: number) => number;
}) {
  const points = series.points.map((point) => `${x(point.at).toFixed(1)},${y(point.value).toFixed(1)}`).join(' ');
  const single = series.points.length === 1 ? series.points[0] : undefined;
  return single ? (
    <circle cx={x(single.at)} cy={y(single.value)} r={3} fill={color} />
  ) : (
    <polyline points={points} fill="none" stroke={color} strokeWidth={1.8} strokeLinejoin="round" />
  );
}
