// Offsets and cursors of the Durable Streams protocol: opaque texts for positions of durable events.
import { Fault } from '../../../kernel/fault.ts';
import type { Position } from '../../../ports/event-store.ts';

/** Position before the first event of a topic. */
export const beginning: Position = { gen: 0, seq: 0 };

/** Digits in base 36, so that offsets of a topic sort as texts. */
const genDigits = 6;
const seqDigits = 11;
const offsetForm = /^([0-9a-z]{6})_([0-9a-z]{11})_([0-9a-z-]{1,64})$/;

/** The offset after a position: `<generation>_<number>_<origin of the store>`. */
export function formatOffset({ gen, seq }: Position, origin: string): string {
  return `${gen.toString(36).padStart(genDigits, '0')}_${seq.toString(36).padStart(seqDigits, '0')}_${origin}`;
}

/**
 * Reads an offset that `formatOffset` made.
 *
 * @throws Fault INVALID_CURSOR for other texts; GONE for an offset of another store
 */
export function parseOffset(text: string, origin: string): Position {
  const [, gen = '', seq = '', of] = offsetForm.exec(text) ?? [];
  if (of === undefined)
    throw new Fault('INVALID_CURSOR', `"${text.slice(0, 80)}" is not an offset.`, {
      hint: 'Send the Stream-Next-Offset of your last answer unchanged, -1 for the start, or now for the end.',
    });
  if (of !== origin) throw noLongerKept();
  return { gen: Number.parseInt(gen, 36), seq: Number.parseInt(seq, 36) };
}

export const noLongerKept = () =>
  new Fault('GONE', 'What follows this offset is no longer kept.', {
    hint: 'Read from the start with offset=-1, which is the oldest event that is kept.',
  });

/** Intervals of cursors: 20 s each, counted from 2024-10-09 UTC, as the protocol says. */
const intervalMs = 20_000;
const firstInterval = Date.UTC(2024, 9, 9);
/** Greatest jump ahead of a cursor that is not in the past, in intervals: an hour. */
const mostJump = 180;

/** The cursor of a live answer: it grows with time, and always beyond the one that the client sent. */
export function nextCursor(now: number, sent: string | null, random: () => number = Math.random): string {
  const current = Math.floor((now - firstInterval) / intervalMs);
  const known = sent === null ? -1 : Number(sent);
  return String(known < current ? current : known + 1 + Math.floor(random() * mostJump));
}
