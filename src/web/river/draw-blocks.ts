// Draws the work on a lane: model calls that fill with words, tool calls, and bands where they are too many to tell apart.
import type { Lane } from './layout.ts';
import { type Drawing, rect } from './pen.ts';
import { across, along, blockHalf, inView } from './scene.ts';
import type { Block } from './track.ts';

/** Narrower blocks are drawn as one band, pixels: tens of thousands fit in a view. */
const bandBelow = 4;
/** Thinner blocks, by half their breadth, are a colour without an edge, px. */
const edgedFrom = 5;

/** Draws the blocks of a lane that are in view. */
export function drawBlocks(d: Drawing, lane: Lane) {
  const { ctx, scene, palette } = d;
  const side = across(scene, lane.row);
  const half = blockHalf(scene);
  let band: { kind: Block['kind']; failed: boolean; from: number; to: number } | null = null;
  const flush = () => {
    if (!band) return;
    ctx.fillStyle = band.failed ? palette.bad : band.kind === 'model' ? palette.model : palette.toolEdge;
    ctx.fillRect(...rect(d, band.from, Math.max(band.to, band.from + 1), side, half));
    band = null;
  };
  for (const block of inView(scene, lane.track.blocks)) {
    // The council itself is drawn.
    if (block.label === 'council_convene' && lane.track.councils.length > 0) continue;
    const from = along(scene, block.from);
    const to = along(scene, block.to ?? scene.now);
    if (to - from >= bandBelow || isMarked(d, lane, block)) {
      flush();
      drawBlock(d, lane, block);
    } else if (
      band &&
      from < band.to + 1 &&
      (to <= band.to + 0.5 || (band.kind === block.kind && band.failed === block.failed))
    ) {
      band.to = Math.max(band.to, to);
    } else {
      flush();
      band = { kind: block.kind, failed: block.failed, from, to };
    }
  }
  flush();
}

const isMarked = (d: Drawing, { track }: Lane, { seq }: Block) =>
  same(d.selected, track.runId, seq) || same(d.hovered, track.runId, seq);

const same = (mark: Drawing['selected'], runId: number, seq: number) => mark?.runId === runId && mark.seq === seq;

function drawBlock(d: Drawing, lane: Lane, block: Block) {
  const { ctx, scene, palette } = d;
  const side = across(scene, lane.row);
  const a = along(scene, block.from);
  const b = Math.max(a + 3, along(scene, block.to ?? scene.now));
  const half = blockHalf(scene);
  const box = rect(d, a, b, side, half);
  ctx.beginPath();
  ctx.roundRect(...box, Math.min(3, half / 2));
  if (half < edgedFrom) {
    ctx.fillStyle = block.failed ? palette.bad : block.kind === 'model' ? palette.model : palette.toolQuiet;
    ctx.fill();
    if (isMarked(d, lane, block)) outline(d, box);
    return;
  }
  if (block.kind === 'model') {
    ctx.fillStyle = palette.modelEmpty;
    ctx.fill();
    const level = block.failed ? 0 : block.to === null ? Math.min(1, block.flow / 400) : 1;
    ctx.save();
    ctx.clip();
    ctx.fillStyle = palette.model;
    const [x, y, w, h] = box;
    ctx.fillRect(x, y + h * (1 - level), w, h * level);
    if (w > 8 && h > 8) ripples(d, box, block.to === null ? d.phase : 0);
    ctx.restore();
  } else {
    ctx.fillStyle = block.failed ? palette.toolFailed : palette.tool;
    ctx.fill();
  }
  ctx.lineWidth = 1.25;
  ctx.strokeStyle = block.failed ? palette.bad : block.kind === 'model' ? palette.accent : palette.toolEdge;
  if (block.sandboxed) ctx.setLineDash([3, 2]);
  ctx.beginPath();
  ctx.roundRect(...box, 3);
  ctx.stroke();
  ctx.setLineDash([]);
  blockLabel(d, block, box);
  if (isMarked(d, lane, block)) outline(d, box);
}

function ripples(d: Drawing, [x, y, w, h]: [number, number, number, number], phase: number) {
  const { ctx, palette } = d;
  ctx.strokeStyle = palette.ripple;
  ctx.lineWidth = 1;
  ctx.beginPath();
  const to = Math.min(w, 4000);
  for (const level of [0.35, 0.7]) {
    for (let i = 0; i <= to; i += 4) {
      const wave = Math.sin((i - phase * 0.8) / 7 + level * 9) * 1.4;
      if (i === 0) ctx.moveTo(x, y + h * level + wave);
      else ctx.lineTo(x + i, y + h * level + wave);
    }
  }
  ctx.stroke();
}

function blockLabel(d: Drawing, block: Block, [x, y, w, h]: [number, number, number, number]) {
  if (w < 40 || h < 14 || block.kind === 'model') return;
  const { ctx, palette } = d;
  ctx.save();
  ctx.beginPath();
  ctx.rect(Math.max(x, 0), y, w - 4, h);
  ctx.clip();
  ctx.font = palette.smallFont;
  ctx.fillStyle = block.failed ? palette.bad : palette.text;
  ctx.textBaseline = 'middle';
  ctx.fillText(block.label, Math.max(x, 0) + 5, y + h / 2 + 0.5);
  ctx.restore();
}

function outline({ ctx, palette }: Drawing, [x, y, w, h]: [number, number, number, number]) {
  ctx.lineWidth = 2;
  ctx.strokeStyle = palette.text;
  ctx.beginPath();
  ctx.roundRect(x - 2.5, y - 2.5, w + 5, h + 5, 5);
  ctx.stroke();
}
