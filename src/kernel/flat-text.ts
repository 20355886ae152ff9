// Changes members of flat JSON objects in their text: what is only passed on need not be decoded and encoded again.
import { isoTime } from './iso-time.ts';

interface Changes {
  /** New names. */
  renamed: Readonly<Record<string, string>>;
  /** Names of what is left out; never the first member of an object. */
  dropped: readonly string[];
  /** New names of times, which are numbers of ms and become ISO 8601. */
  times: Readonly<Record<string, string>>;
}

/**
 * A function from the JSON text of objects without inner objects to that of objects with other members. Names in quotes
 * before a colon are members: within a string each quote has a backslash before it.
 */
export function createFlatText({ renamed, dropped, times }: Changes): (text: string) => string {
  const any = (names: readonly string[]) => (names.length === 0 ? '(?!)' : names.join('|'));
  const pattern = new RegExp(
    [
      `,"(?:${any(dropped)})":(?:"(?:[^"\\\\]|\\\\.)*"|[^",}]+)`,
      `"(${any(Object.keys(renamed))})":`,
      `"(${any(Object.keys(times))})":(null|-?\\d+)`,
    ].join('|'),
    'g',
  );
  return (text) =>
    text.replace(pattern, (_, name?: string, time?: string, at?: string) => {
      if (name !== undefined) return `"${renamed[name]}":`;
      if (time === undefined) return '';
      return `"${times[time]}":${at === 'null' ? at : `"${isoTime(Number(at))}"`}`;
    });
}
