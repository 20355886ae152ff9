// Careful looks into values of unknown shape: what is not of the kind that is asked for counts as absent.
import { limits } from './limits.ts';

export type Dict = Readonly<Record<string, unknown>>;

export const isDict = (value: unknown): value is Dict =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
export const dictOf = (value: unknown): Dict => (isDict(value) ? value : {});
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
/** A text with anything in it; null for none. */
export const textOf = (value: unknown): string | null => (typeof value === 'string' && value.trim() ? value : null);
export const numberOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isFinite(value) ? value : null;
/** The first text among several fields. */
export const firstText = (of: Dict, ...names: readonly string[]): string | null => {
  for (const name of names) {
    const found = textOf(of[name]);
    if (found) return found;
  }
  return null;
};
export const idOf = (value: unknown): string | null =>
  typeof value === 'number' ? String(value) : (textOf(value)?.slice(0, 200) ?? null);
export const titleOf = (value: unknown): string | null =>
  textOf(value)?.trim().replaceAll(/\s+/g, ' ').slice(0, limits.titleLength) ?? null;

const [earliest, latest] = [Date.UTC(1990, 0), Date.UTC(2200, 0)];

/** Times as providers write them: ISO 8601, seconds or milliseconds since 1970, and MongoDB's extended JSON. */
export function timeOf(value: unknown): Date | null {
  if (isDict(value)) return timeOf(value.$date ?? value.$numberLong ?? value.$numberDouble);
  const ms =
    typeof value === 'number'
      ? msOf(value)
      : typeof value === 'string'
        ? /^\d{9,14}(\.\d+)?$/.test(value)
          ? msOf(Number(value))
          : Date.parse(withZone(value))
        : Number.NaN;
  return ms >= earliest && ms <= latest ? new Date(ms) : null;
}

/** Times without a zone are taken for UTC, wherever the server stands. */
const withZone = (text: string): string =>
  /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?$/.test(text)
    ? `${text.replace(' ', 'T')}Z`
    : /^\d{1,2}\/\d{1,2}\/\d{4},? \d{1,2}:\d{2}(?::\d{2})?(?: [AP]M)?$/i.test(text)
      ? `${text} UTC`
      : text;

/** Seconds up to the year 5000 are below what milliseconds were in 1973. */
const msOf = (value: number) => (value < 1e11 ? value * 1000 : value);
