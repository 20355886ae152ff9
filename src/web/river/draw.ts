// Draws a river: streams and tributaries, blocks of work, gates, ticks, breaks and dams.
import { formatDuration } from '../base/i18n.ts';
import { drawBlocks } from './draw-blocks.ts';
import type { Lane } from './layout.ts';
import { type Drawing, line, point, rect } from './pen.ts';
import { across, along, axisSize, blockHalf, inView, isNamed, type Scene, tickStep, timesOf } from './scene.ts';
import type { EndKind, Gate } from './track.ts';

/** What the name of a time, and of a fold beyond its edges, takes along the axis, px. */
const timeLength = 44;
const foldMargin = 14;

/** Where the length of a fold is written, there is no room for a time. */
const isBesideFold = (scene: Scene, pixel: number) =>
  scene.folds.some(
    ({ from, to }) => pixel + timeLength > along(scene, from) - foldMargin && pixel < along(scene, to) + foldMargin,
  );

function drawAxis(d: Drawing) {
  const { ctx, scene, palette } = d;
  const origin = scene.river.from;
  const step = tickStep(scene.view, scene.length, scene.vertical ? 64 : 90);
  const view = timesOf(scene);
  ctx.font = palette.smallFont;
  ctx.textBaseline = 'middle';
  ctx.lineWidth = 1;
  for (let at = origin + Math.ceil((view.from - origin) / step) * step; at <= view.to; at += step) {
    const fold = scene.folds.find(({ from, to }) => at > from && at < to);
    if (fold) {
      // Times within a fold have no room; on with the first mark after it.
      at += Math.floor((fold.to - at) / step) * step;
      continue;
    }
    const a = Math.round(along(scene, at)) + 0.5;
    ctx.strokeStyle = palette.grid;
    line(d, point(d, a, axisSize), point(d, a, scene.breadth));
    ctx.fillStyle = palette.faint;
    if (isBesideFold(scene, a)) continue;
    const text = at === origin ? '0' : formatDuration(at - origin).replace(/\.0 s$/, ' s');
    if (scene.vertical) ctx.fillText(text.replace(/ /g, ''), 2, a - 7, axisSize + 8);
    else ctx.fillText(text, a + 4, axisSize / 2);
  }
}

/** The tributary leaves its parent, and its result comes back. */
function drawBanks(d: Drawing, lane: Lane) {
  if (lane.parentRow === null) return;
  const { ctx, scene, palette } = d;
  const parent = across(scene, lane.parentRow);
  const own = across(scene, lane.row);
  const bend = Math.min(26, Math.max(8, scene.length / 40));
  const curve = (a: number, from: number, b: number, to: number) => {
    const middle = (a + b) / 2;
    ctx.beginPath();
    ctx.moveTo(...point(d, a, from));
    ctx.bezierCurveTo(...point(d, middle, from), ...point(d, middle, to), ...point(d, b, to));
    ctx.stroke();
  };
  ctx.lineWidth = blockHalf(scene) * 0.45;
  ctx.lineCap = 'round';
  ctx.strokeStyle = palette.stream;
  const start = along(scene, lane.from);
  curve(start - bend * 0.4, parent, start + bend * 0.6, own);
  if (lane.joinedAt === null) return;
  const joined = along(scene, lane.joinedAt);
  const end = along(scene, lane.to);
  ctx.strokeStyle = palette.streamQuiet;
  if (joined - bend > end) line(d, point(d, end, own), point(d, joined - bend, own));
  curve(Math.max(end, joined - bend), own, joined + bend * 0.2, parent);
}

function drawStream(d: Drawing, lane: Lane) {
  const { ctx, scene, palette } = d;
  const side = across(scene, lane.row);
  const from = Math.max(-20, along(scene, lane.from) + (lane.parentRow === null ? 0 : 10));
  const to = Math.min(scene.length + 20, along(scene, lane.to));
  if (to < -20 || from > scene.length + 20) return;
  const started = lane.track.startedAt ?? (lane.track.blocks[0]?.from || lane.to);
  const flowing = Math.max(from, Math.min(to, along(scene, started)));
  ctx.lineCap = 'butt';
  ctx.lineWidth = 3;
  ctx.strokeStyle = palette.faintLine;
  ctx.setLineDash([2, 4]);
  line(d, point(d, from, side), point(d, flowing, side));
  ctx.setLineDash([]);
  const main = lane.parentRow === null;
  ctx.lineWidth = blockHalf(scene) * (main ? 0.9 : 0.55);
  ctx.lineCap = 'round';
  ctx.strokeStyle = palette.stream;
  if (to > flowing) line(d, point(d, flowing, side), point(d, to, side));
  if (lane.track.end !== null || to <= flowing) return;
  ctx.lineWidth = main ? 2 : 1.5;
  ctx.strokeStyle = palette.accent;
  ctx.setLineDash([10, 14]);
  ctx.lineDashOffset = -d.phase;
  line(d, point(d, Math.max(flowing, to - 220), side), point(d, to, side));
  ctx.setLineDash([]);
}

function drawSpans(d: Drawing, lane: Lane) {
  const { ctx, scene, palette } = d;
  const side = across(scene, lane.row);
  const half = blockHalf(scene);
  const end = (to: number | null) => along(scene, to ?? scene.now);
  for (const span of inView(scene, lane.track.pauses)) {
    const [a, b] = [along(scene, span.from), end(span.to)];
    ctx.fillStyle = palette.surface;
    ctx.fillRect(...rect(d, a, b, side, half * 0.7));
    ctx.fillStyle = palette.muted;
    for (const shift of [-3, 2])
      ctx.fillRect(...rect(d, (a + b) / 2 + shift, (a + b) / 2 + shift + 2, side, half * 0.55));
  }
  for (const span of inView(scene, lane.track.councils)) {
    ctx.lineWidth = 1.5;
    ctx.strokeStyle = palette.violet;
    const [a, b] = [along(scene, span.from), Math.max(end(span.to), along(scene, span.from) + 8)];
    for (const thread of [-1, -0.5, 0, 0.5, 1]) {
      const shift = thread * half * 0.9;
      ctx.beginPath();
      ctx.moveTo(...point(d, a, side));
      ctx.bezierCurveTo(...point(d, a + 8, side + shift), ...point(d, b - 8, side + shift), ...point(d, b, side));
      ctx.stroke();
    }
  }
  for (const span of inView(scene, lane.track.breaks)) {
    const [a, b] = [along(scene, span.from), Math.max(end(span.to), along(scene, span.from) + 6)];
    ctx.fillStyle = palette.surface;
    ctx.fillRect(...rect(d, a, b, side, half * 1.3));
    ctx.strokeStyle = palette.bad;
    ctx.lineWidth = 1.5;
    for (const at of [a, b]) zigzag(d, at, side);
  }
}

function zigzag(d: Drawing, a: number, side: number) {
  d.ctx.beginPath();
  const half = blockHalf(d.scene);
  [-1.3, -0.65, 0, 0.65, 1.3].forEach((shift, index) => {
    const to = point(d, a + (index % 2 ? 3 : -1), side + shift * half);
    if (index === 0) d.ctx.moveTo(...to);
    else d.ctx.lineTo(...to);
  });
  d.ctx.stroke();
}

/** A lock gate across the stream; what still has to pass waits behind it. */
function drawGate(d: Drawing, lane: Lane, gate: Gate) {
  const { ctx, scene, palette } = d;
  const side = across(scene, lane.row);
  const a = along(scene, gate.from);
  const b = along(scene, gate.to ?? scene.now);
  const half = blockHalf(scene);
  ctx.fillStyle = palette.gateSoft;
  ctx.fillRect(...rect(d, a, Math.max(b, a + 2), side, half));
  ctx.strokeStyle = palette.warn;
  ctx.lineWidth = 3;
  ctx.lineCap = 'round';
  const spread = gate.to === null ? 0 : half * 0.8;
  for (const direction of [-1, 1])
    line(
      d,
      point(d, b + spread, side + direction * half * 1.45),
      point(d, b, side + direction * (spread ? half * 0.65 : 0)),
    );
  if (gate.to !== null || !isNamed(scene.pitch)) return;
  ctx.font = palette.smallFont;
  ctx.fillStyle = palette.warnText;
  ctx.textBaseline = 'alphabetic';
  const text = gate.timeoutAt ? formatDuration(gate.timeoutAt - scene.now) : formatDuration(scene.now - gate.from);
  const width = ctx.measureText(text).width;
  const [x, y] = point(d, b, side);
  ctx.fillText(
    text,
    scene.vertical ? x + 16 : Math.min(x - width / 2, scene.length - width - 4),
    scene.vertical ? y : y - 15,
  );
}

function drawMarks(d: Drawing, lane: Lane) {
  const { ctx, scene, palette } = d;
  if (!isNamed(scene.pitch)) return;
  const side = across(scene, lane.row);
  let previous = -9;
  for (const mark of lane.track.marks) {
    const a = along(scene, mark.at);
    if (a < -5 || a > scene.length + 5 || (mark.kind === 'checkpoint' && a - previous < 3)) continue;
    if (mark.kind === 'checkpoint') previous = a;
    ctx.strokeStyle = ctx.fillStyle =
      mark.kind === 'warning' ? palette.warn : mark.kind === 'message' ? palette.accent : palette.faint;
    ctx.lineWidth = 1.5;
    if (mark.kind === 'checkpoint') line(d, point(d, a, side + 12), point(d, a, side + 16));
    else {
      ctx.beginPath();
      ctx.arc(...point(d, a, side + 15), 2.2, 0, Math.PI * 2);
      ctx.fill();
    }
  }
}

/** Strokes within the circle of an end, px from its middle. */
const signs: Partial<Record<EndKind, [number, number][][]>> = {
  completed: [
    [
      [-3, 0],
      [-1, 2.5],
      [3, -2.5],
    ],
  ],
  failed: [
    [
      [-2.5, -2.5],
      [2.5, 2.5],
    ],
    [
      [2.5, -2.5],
      [-2.5, 2.5],
    ],
  ],
  exhausted: [
    [
      [-3, 2],
      [3, 2],
    ],
  ],
};

function drawEnd(d: Drawing, lane: Lane) {
  const { end } = lane.track;
  if (!end) return;
  const { ctx, scene, palette } = d;
  const [x, y] = point(d, along(scene, end.at), across(scene, lane.row));
  if (x < -12 || x > (scene.vertical ? scene.breadth : scene.length) + 12) return;
  const color = { completed: palette.good, failed: palette.bad, cancelled: palette.muted, exhausted: palette.warn }[
    end.kind
  ];
  const named = isNamed(scene.pitch);
  ctx.fillStyle = named ? palette.surface : color;
  ctx.strokeStyle = color;
  ctx.lineWidth = 2;
  ctx.lineCap = 'round';
  ctx.beginPath();
  if (end.kind === 'cancelled') {
    const half = blockHalf(scene) * 1.45;
    ctx.rect(...rect(d, along(scene, end.at) - 3, along(scene, end.at) + 3, across(scene, lane.row), half));
    ctx.fillStyle = color;
    ctx.fill();
    return;
  }
  ctx.arc(x, y, named ? 7 : Math.max(2.5, blockHalf(scene) * 0.7), 0, Math.PI * 2);
  ctx.fill();
  if (!named) return;
  ctx.stroke();
  for (const path of signs[end.kind] ?? []) {
    ctx.beginPath();
    for (const [dx, dy] of path) ctx.lineTo(x + dx, y + dy);
    ctx.stroke();
  }
}

/** Where runs are not named, their rows show which one is meant. */
function drawChosen(d: Drawing, lane: Lane) {
  const { ctx, scene, palette } = d;
  const { runId } = lane.track;
  if (isNamed(scene.pitch) || (d.selected?.runId !== runId && d.hovered?.runId !== runId)) return;
  ctx.fillStyle = palette.grid;
  ctx.fillRect(...rect(d, 0, scene.length, across(scene, lane.row), scene.pitch / 2));
}

function drawLabel(d: Drawing, lane: Lane) {
  const { ctx, scene, palette } = d;
  if (scene.vertical || !isNamed(scene.pitch)) return;
  const a = Math.max(6, along(scene, lane.from) + (lane.parentRow === null ? 4 : 18));
  if (a > scene.length - 20 || along(scene, lane.to) < 0) return;
  ctx.font = palette.smallFont;
  ctx.textBaseline = 'alphabetic';
  ctx.fillStyle = d.selected?.runId === lane.track.runId ? palette.text : palette.muted;
  ctx.fillText(d.labelOf(lane.track.runId), a, across(scene, lane.row) - 14, Math.max(60, scene.length - a - 8));
}

/** A long wait, folded: torn edges, and how long it was. */
function drawFolds(d: Drawing) {
  const { ctx, scene, palette } = d;
  for (const fold of scene.folds) {
    const [a, b] = [along(scene, fold.from), along(scene, fold.to)];
    if (b < 0 || a > scene.length) continue;
    const [x, y, w, h] = scene.vertical ? [axisSize, a, scene.breadth, b - a] : [a, axisSize, b - a, scene.breadth];
    ctx.fillStyle = palette.fold;
    ctx.fillRect(x, y, w, h);
    ctx.strokeStyle = palette.faintLine;
    ctx.lineWidth = 1;
    for (const edge of [a, b]) {
      ctx.beginPath();
      for (let side = axisSize; side <= scene.breadth; side += 6)
        ctx.lineTo(...point(d, edge + ((side / 6) % 2 < 1 ? -2 : 2), side));
      ctx.stroke();
    }
    const text = formatDuration(fold.to - fold.from).replace(/ (?=[smhd]\b)/g, '');
    ctx.font = palette.smallFont;
    ctx.fillStyle = palette.muted;
    ctx.textBaseline = 'middle';
    const width = ctx.measureText(text).width;
    // Beside the lanes, where the times stand: over a lane it would hide the run.
    if (scene.vertical) ctx.fillText(text.replace(/ /g, ''), 2, (a + b) / 2, axisSize + 8);
    else ctx.fillText(text, Math.min((a + b - width) / 2, scene.length - width - 4), axisSize / 2);
  }
}

function drawNow(d: Drawing) {
  const { ctx, scene, palette } = d;
  if (scene.river.lanes.every((lane) => lane.track.end !== null)) return;
  const a = Math.round(along(scene, scene.now)) + 0.5;
  if (a < 0 || a > scene.length + 1) return;
  ctx.strokeStyle = palette.accent;
  ctx.lineWidth = 1;
  ctx.setLineDash([2, 3]);
  line(d, point(d, a, axisSize - 4), point(d, a, scene.breadth));
  ctx.setLineDash([]);
}

/** Draws everything in view. */
export function drawRiver(d: Drawing) {
  const { ctx, scene } = d;
  const [width, height] = scene.vertical ? [scene.breadth, scene.length] : [scene.length, scene.breadth];
  ctx.clearRect(0, 0, width, height);
  drawAxis(d);
  const visible = scene.river.lanes.filter((lane) => {
    const side = across(scene, lane.row);
    return side > -scene.pitch * 2 && side < scene.breadth + scene.pitch * 2;
  });
  for (const lane of visible) drawChosen(d, lane);
  for (const lane of visible) drawBanks(d, lane);
  for (const lane of visible) drawStream(d, lane);
  for (const lane of visible) {
    drawSpans(d, lane);
    drawBlocks(d, lane);
    drawMarks(d, lane);
  }
  drawFolds(d);
  // The gate that a fold waits for stays in sight.
  for (const lane of visible) {
    for (const gate of inView(scene, lane.track.gates)) drawGate(d, lane, gate);
    drawEnd(d, lane);
    drawLabel(d, lane);
  }
  drawNow(d);
}
