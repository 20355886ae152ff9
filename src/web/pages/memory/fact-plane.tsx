// The history of a fact as a plane: to the right the time for which it holds, upwards the time when that was known.
import { useEffect, useRef, useState } from 'react';
import { formatClock, formatDay, t } from '../../base/i18n.ts';
import { piecesOf, reachOf, type Span } from './spans.ts';

interface Props {
  spans: readonly Span[];
  now: number;
  /** What is asked about, ms. */
  at: { valid: number; known: number } | null;
  onPick: (at: { valid: number; known: number }) => void;
}

const frame = { left: 92, right: 8, top: 10, bottom: 40, height: 260 } as const;

function useWidth() {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(600);
  useEffect(() => {
    if (!box.current) return;
    const watcher = new ResizeObserver(([entry]) => setWidth(Math.max(260, entry?.contentRect.width ?? 600)));
    watcher.observe(box.current);
    return () => watcher.disconnect();
  }, []);
  return { box, width };
}

export function FactPlane({ spans, now, at, onPick }: Props) {
  const { box, width } = useWidth();
  const { valid, known } = reachOf(spans, now);
  const [wide, tall] = [width - frame.left - frame.right, frame.height - frame.top - frame.bottom];
  const x = (time: number) => frame.left + ((time - valid[0]) / (valid[1] - valid[0])) * wide;
  const y = (time: number) => frame.top + tall - ((time - known[0]) / (known[1] - known[0])) * tall;
  const pick = (event: React.MouseEvent<SVGSVGElement>) => {
    const place = event.currentTarget.getBoundingClientRect();
    const [left, top] = [event.clientX - place.left - frame.left, event.clientY - place.top - frame.top];
    const share = (value: number, of: number) => Math.min(1, Math.max(0, value / of));
    onPick({
      valid: valid[0] + share(left, wide) * (valid[1] - valid[0]),
      known: known[0] + share(tall - top, tall) * (known[1] - known[0]),
    });
  };
  return (
    <div ref={box} className="fact-plane">
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the two fields below ask the same by keys */}
      <svg
        role="img"
        aria-label={t('What held when, and when that was known; the list below tells the same')}
        viewBox={`0 0 ${width} ${frame.height}`}
        height={frame.height}
        onClick={pick}
      >
        {piecesOf(spans).map((span) => (
          <Block
            key={`${span.fact.id} ${span.knownFrom}`}
            span={span}
            left={x(span.validFrom)}
            right={x(span.validUntil ?? valid[1])}
            bottom={y(span.knownFrom)}
            top={y(span.knownUntil ?? known[1])}
          />
        ))}
        <line className="now" x1={x(now)} x2={x(now)} y1={frame.top} y2={frame.top + tall} />
        <text x={x(now) - 4} y={frame.top + tall + 14} textAnchor="end">
          {t('now')}
        </text>
        {at && (
          <g className="asked">
            <line x1={x(at.valid)} x2={x(at.valid)} y1={frame.top} y2={frame.top + tall} />
            <line x1={frame.left} x2={frame.left + wide} y1={y(at.known)} y2={y(at.known)} />
            <circle cx={x(at.valid)} cy={y(at.known)} r={4} />
          </g>
        )}
        <Ends valid={valid} known={known} width={width} />
      </svg>
    </div>
  );
}

interface BlockProps {
  span: Span;
  left: number;
  right: number;
  top: number;
  bottom: number;
}

/** Figures of a letter, px: a text that does not fit is left to the tip. */
const letter = 6.6;

function Block({ span: { fact }, left, right, top, bottom }: BlockProps) {
  const [wide, tall] = [Math.max(3, right - left), Math.max(3, bottom - top)];
  const fits = Math.floor((wide - 12) / letter);
  const text = fact.value.length > fits ? `${fact.value.slice(0, Math.max(0, fits - 1))}…` : fact.value;
  return (
    <g
      className="block"
      data-retracted={fact.retractedAtUtc !== null || undefined}
      data-current={fact.isCurrent || undefined}
    >
      <title>{fact.value}</title>
      <rect x={left} y={top} width={wide} height={tall} rx={3} />
      {fits >= 3 && tall > 14 && (
        <text className="value" x={left + 7} y={top + 16}>
          {text}
        </text>
      )}
    </g>
  );
}

/** Above this span days are named, below it hours; ms. */
const longSpanMs = 172_800_000;
const endsOf = ([from, until]: readonly [number, number]) => (until - from > longSpanMs ? formatDay : formatClock);

function Ends({ valid, known, width }: { valid: [number, number]; known: [number, number]; width: number }) {
  const floor = frame.height - frame.bottom;
  const ends = endsOf(known);
  return (
    <g className="ends">
      <line x1={frame.left} x2={width - frame.right} y1={floor} y2={floor} />
      <line x1={frame.left} x2={frame.left} y1={frame.top} y2={floor} />
      <text x={frame.left} y={frame.height - 12}>
        {endsOf(valid)(valid[0])}
      </text>
      <text x={(frame.left + width) / 2} y={frame.height - 12} textAnchor="middle">
        {t('holds →')}
      </text>
      <text x={width - frame.right} y={frame.height - 12} textAnchor="end">
        {endsOf(valid)(valid[1])}
      </text>
      <text x={frame.left - 6} y={floor} textAnchor="end">
        {ends(known[0])}
      </text>
      <text x={frame.left - 6} y={(frame.top + floor) / 2} textAnchor="end">
        {t('known ↑')}
      </text>
      <text x={frame.left - 6} y={frame.top + 10} textAnchor="end">
        {ends(known[1])}
      </text>
    </g>
  );
}
