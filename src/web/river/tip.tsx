// What lies under the pointer, in words.
import { formatDuration, t } from '../base/i18n.ts';
import type { Target } from './scene.ts';

type LabelOf = (runId: number) => string;

function describe(target: Target, labelOf: LabelOf, now: () => number): { title: string; detail: string } {
  const name = labelOf(target.lane.track.runId);
  if (target.kind === 'lane') return { title: name, detail: formatDuration(target.lane.to - target.lane.from) };
  if (target.kind === 'mark') return { title: target.item.label, detail: name };
  if (target.kind === 'end') return { title: t(target.lane.track.end?.kind ?? ''), detail: name };
  const { from, to, label } = target.item;
  return { title: label, detail: `${formatDuration((to ?? now()) - from)}${to === null ? '…' : ''} · ${name}` };
}

export interface Pointed {
  x: number;
  y: number;
  target: Target;
}

interface Props extends Pointed {
  labelOf: LabelOf;
  now: () => number;
  /** Width of the river, px. */
  width: number;
}

export function Tip({ x, y, target, labelOf, now, width }: Props) {
  const { title, detail } = describe(target, labelOf, now);
  return (
    <div className="river-tip" role="tooltip" style={{ left: Math.min(x + 12, Math.max(0, width - 240)), top: y + 16 }}>
      <strong>{title}</strong>
      <span>{detail}</span>
    </div>
  );
}
