// The picture beside the sign-in form: a main stream with its tributaries, as runs are drawn, flowing quietly.
import { flowBy } from '../../base/flow.ts';

const flow = flowBy(2, 125);

/** Where each stream runs, and how wide; the first is the main one. */
const streams = [
  ['M-40 236C120 236 150 300 320 300S560 250 860 250', 26],
  ['M90 232C190 232 190 150 290 150S420 290 520 274', 15],
  ['M180 250C270 256 280 384 390 384S520 290 600 268', 15],
  ['M330 152C400 152 400 92 470 92S560 150 620 150', 9],
] as const;

/** Blocks of work on the streams: x, y, width, and whether it is a model's. */
const blocks = [
  [20, 224, 54, true],
  [110, 228, 30, false],
  [250, 292, 70, true],
  [352, 290, 44, false],
  [268, 143, 62, true],
  [352, 146, 26, false],
  [372, 377, 58, true],
  [452, 371, 26, false],
  [454, 86, 44, true],
  [640, 240, 64, true],
] as const;

export function StreamArt() {
  return (
    <svg className="stream-art" viewBox="0 0 760 480" preserveAspectRatio="xMidYMid slice" aria-hidden="true">
      {streams.map(([path, width]) => (
        <g key={path}>
          <path d={path} className="bed" strokeWidth={width} />
          <path ref={flow} d={path} className="flow" strokeWidth={Math.max(1.5, width / 9)} />
        </g>
      ))}
      {blocks.map(([x, y, width, isModel]) => (
        <rect key={`${x} ${y}`} data-model={isModel} x={x} y={y} width={width} height={isModel ? 20 : 14} rx={4} />
      ))}
      <path d="M560 226v58M560 240l14 14-14 14" className="gate" />
    </svg>
  );
}
