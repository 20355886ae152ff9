// Cursors over a window: whatever is joined, cut or trimmed, the text that a reader puts together is the source's.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { mergeKeyOf } from './events.ts';
import { Window, type WindowLimits } from './window.ts';

const roomy: WindowLimits = { entries: 100_000, characters: 100_000_000 };
const place = { gen: 1, head: 0, now: 0 };

interface Piece {
  run: number;
  text: string;
}

function fill(window: Window, pieces: readonly Piece[]): void {
  for (const { run, text } of pieces) {
    const data = { runId: run, iteration: 0, kind: 'Content', toolCallId: null, delta: text };
    const body = JSON.stringify(data);
    window.append({ type: 'run.delta', at: 0, body, durable: false, mergeKey: mergeKeyOf('run.delta', data) });
  }
}

/** Text by run of what follows a cursor, and how many events it came in. */
function read(window: Window, after: number): { text: Map<number, string>; events: number } {
  const text = new Map<number, string>();
  let events = 0;
  for (let at = after; ; ) {
    const batch = window.since(at);
    if (!batch) return { text, events };
    for (const entry of batch.entries) {
      const { data, seq } = JSON.parse(entry.json);
      expect(entry.first).toBe(at + 1);
      expect(seq).toBe(entry.seq);
      at = seq;
      text.set(data.runId, (text.get(data.runId) ?? '') + data.delta);
      events++;
    }
    expect(batch.to).toBe(at);
  }
}

function source(pieces: readonly Piece[]): Map<number, string> {
  const text = new Map<number, string>();
  for (const piece of pieces) text.set(piece.run, (text.get(piece.run) ?? '') + piece.text);
  return text;
}

const pieces = fc.array(
  fc.record({ run: fc.constantFrom(1, 1, 1, 2), text: fc.string({ unit: 'grapheme', maxLength: 12 }) }),
  { minLength: 1, maxLength: 400 },
);

test('the joined text is the source, from every cursor, trimmed or not', () => {
  fc.assert(
    fc.property(
      pieces,
      fc.nat(),
      fc.constantFrom(roomy, { entries: 50, characters: 1_000_000 }),
      (all, from, limits) => {
        const window = new Window('1/run:1', 'origin', place, limits);
        fill(window, all);
        window.trim();
        const start = window.start - 1;
        const after = start + (from % (all.length - start + 1));
        expect(read(window, after).text).toEqual(source(all.slice(after)));
      },
    ),
  );
});

test('a reader that is far behind gets few, joined events', () => {
  const window = new Window('1/run:1', 'origin', place, roomy);
  fill(
    window,
    Array.from({ length: 5000 }, () => ({ run: 1, text: 'word ' })),
  );
  const { text, events } = read(window, 0);
  expect(text.get(1)).toBe('word '.repeat(5000));
  expect(events).toBeLessThan(200);
});

test('readers at the same place share one batch', () => {
  const window = new Window('1/run:1', 'origin', place, roomy);
  fill(window, [{ run: 1, text: 'a' }]);
  const batch = window.since(0);
  expect(window.since(0)).toBe(batch);
  expect(batch?.sse.toString()).toBe(`id: origin-1.1\nevent: run.delta\ndata: ${batch?.entries[0]?.json}\n\n`);
});

test('memory stays bounded while a generation goes on', () => {
  const limits = { entries: 1000, characters: 300_000 };
  const window = new Window('1/run:1', 'origin', place, limits);
  for (let round = 0; round < 50; round++) {
    fill(
      window,
      Array.from({ length: 400 }, () => ({ run: 1, text: 'word ' })),
    );
    window.trim();
    expect(window.size.entries).toBeLessThanOrEqual(limits.entries);
    expect(window.size.characters).toBeLessThanOrEqual(limits.characters);
  }
  expect(window.start).toBe(1);
});
