// A run's last minutes as one line, for lists.
import { useRef } from 'react';
import { serverNow, useNow } from '../base/clock.ts';
import { t } from '../base/i18n.ts';
import { inView, type Scene } from './scene.ts';
import type { Track } from './track.ts';
import { useCanvas } from './use-canvas.ts';

const colors = { completed: 'good', failed: 'bad', cancelled: 'muted', exhausted: 'warn' } as const;

export function MiniRiver({ track }: { track: Track }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const live = track.end === null;
  useNow();
  useCanvas(
    canvas,
    ({ ctx, width, height, palette }) => {
      const now = track.end?.at ?? serverNow();
      const view = { from: Math.max(track.from, now - 300_000), to: now };
      const x = (at: number) => ((at - view.from) / Math.max(1, view.to - view.from)) * (width - 8);
      const middle = height / 2;
      ctx.clearRect(0, 0, width, height);
      ctx.lineWidth = 3;
      ctx.lineCap = 'round';
      ctx.strokeStyle = palette.stream;
      ctx.beginPath();
      ctx.moveTo(2, middle);
      ctx.lineTo(width - 8, middle);
      ctx.stroke();
      const scene = { view, length: width, now, folds: [] as Scene['folds'] } as Scene;
      for (const block of inView(scene, track.blocks)) {
        const from = x(block.from);
        ctx.fillStyle = block.failed ? palette.bad : block.kind === 'model' ? palette.model : palette.toolEdge;
        ctx.fillRect(from, middle - 5, Math.max(1.5, x(block.to ?? now) - from), 10);
      }
      for (const gate of inView(scene, track.gates)) {
        ctx.fillStyle = palette.warn;
        ctx.fillRect(x(gate.to ?? now) - 1.5, 1, 3, height - 2);
      }
      ctx.fillStyle = track.end ? palette[colors[track.end.kind]] : palette.accent;
      ctx.beginPath();
      ctx.arc(width - 6, middle, live ? 3.6 : 3, 0, Math.PI * 2);
      ctx.fill();
    },
    () => false,
  );
  return <canvas ref={canvas} className="mini-river" role="img" aria-label={t('Activity of the last minutes')} />;
}
