// Makes texts of members of a JSON object from its text: what is only passed on need not be decoded and encoded again.
import { isoTime } from './iso-time.ts';

export interface Member {
  name: string;
  /** Its name in the text that is read. */
  from: string;
  /** A number of ms that becomes ISO 8601. */
  isTime?: boolean;
  /** Null where it is missing; objects that lack others are not cut. */
  orNull?: boolean;
}

interface Wanted {
  /** Lists of members, each of which becomes one text: `"name":value,…`. */
  parts: readonly (readonly Member[])[];
  /** Names of members whose values are told besides. */
  told: readonly string[];
}

interface Cut {
  parts: string[];
  /** JSON text of each value. */
  told: string[];
}

/** How wanted members stand in a text, learned from the first that has them in this order. */
interface Shape {
  pattern: RegExp;
  parts: readonly (readonly Step[])[];
  /** Groups of the pattern. */
  told: readonly number[];
  /** Members that no text of this shape has, as they begin. */
  without: readonly string[];
}

/** What follows in a part: `before`, then a group of the pattern, if any. */
interface Step {
  before: string;
  group: number;
  isTime: boolean;
}

/** Orders of members that are known at once. */
const mostShapes = 16;
/** Longer texts are decoded: to find that one does not fit takes several times as long as to read it. */
const longest = 16_000;

const string = '"[^"\\\\]*(?:\\\\.[^"\\\\]*)*"';
const scalar = `(?:${string}|[^",[{}]+)`;
const holding = (inner: string) => `\\[(?:[^\\]"[{]|${inner})*\\]|\\{(?:[^}"[{]|${inner})*\\}`;
/** Members of any value whose parts are two levels deep at most. */
const others = `(?:"\\w+":(?:${string}|[^",[{]+|${holding(`${string}|${holding(string)}`)}),)*?`;

/**
 * A function from the JSON text of an object, as JSON.stringify writes it, to texts of some of its members. Null where
 * one of these is an object or an array, and where what stands between them is deep or long: then decode it.
 */
export function createTextCuts(wanted: Wanted): (text: string) => Cut | null {
  const shapes: Shape[] = [];
  const members = wanted.parts.flat();
  const names = new Set([...members.map(({ from }) => from), ...wanted.told]);
  const needed = [...members.flatMap(({ from, orNull }) => (orNull ? [] : from)), ...wanted.told];

  function learned(text: string): Shape | null {
    const keys = Object.keys(JSON.parse(text));
    if (!needed.every((name) => keys.includes(name))) return null;
    const shape = shapeOf(keys, wanted, names);
    if (shapes.some(({ pattern }) => pattern.source === shape.pattern.source)) return null;
    shapes.push(shape);
    return shape;
  }

  return (text) => {
    if (text.length > longest) return null;
    for (const shape of shapes) {
      const found = match(shape, text);
      if (found) return cut(shape, found);
    }
    const shape = shapes.length < mostShapes ? learned(text) : null;
    const found = shape && match(shape, text);
    return shape && found ? cut(shape, found) : null;
  };
}

const match = ({ pattern, without }: Shape, text: string) =>
  without.some((name) => text.includes(name)) ? null : pattern.exec(text);

function cut({ parts, told }: Shape, found: RegExpExecArray): Cut {
  return { parts: parts.map((steps) => partOf(steps, found)), told: told.map((group) => found[group]!) };
}

function partOf(steps: readonly Step[], found: RegExpExecArray): string {
  let text = '';
  for (const { before, group, isTime } of steps) {
    const value = group === 0 ? '' : found[group]!;
    text += isTime && value !== 'null' ? `${before}"${isoTime(Number(value))}"` : before + value;
  }
  return text;
}

function shapeOf(keys: readonly string[], { parts, told }: Wanted, names: ReadonlySet<string>): Shape {
  const has = new Set(keys);
  const runs = parts.map((part) => runsOf(part, keys));
  const asTheyAre = runs.flat().filter(isAsItIs);
  const begins = new Set(asTheyAre.map(([first]) => first!.from));
  const ends = new Set(asTheyAre.map((run) => run.at(-1)!.from));
  const inRuns = new Set(asTheyAre.flat().map(({ from }) => from));
  const groups: Groups = { run: new Map(), value: new Map() };
  let group = 0;
  let pattern = '';
  for (const [at, key] of keys.entries()) {
    if (!names.has(key)) continue;
    if (at > 0 && !names.has(keys[at - 1]!)) pattern += others;
    if (begins.has(key)) groups.run.set(key, ++group);
    const isTold = told.includes(key) || !inRuns.has(key);
    if (isTold) groups.value.set(key, ++group);
    pattern += `${begins.has(key) ? '(' : ''}"${key}":${isTold ? `(${scalar})` : scalar}${ends.has(key) ? ')' : ''}[,}]`;
  }
  return {
    pattern: new RegExp(`^\\{${pattern}`),
    parts: runs.map((part) => part.map((run, at) => stepOf(run, at > 0 ? ',' : '', groups))),
    told: told.map((name) => groups.value.get(name)!),
    without: [...names].filter((name) => !has.has(name)).map((name) => `"${name}":`),
  };
}

interface Groups {
  run: Map<string, number>;
  value: Map<string, number>;
}

/** Members that stand side by side under the same names, so that their text is taken as it is; others by themselves. */
function runsOf(part: readonly Member[], keys: readonly string[]): Member[][] {
  const runs: Member[][] = [];
  for (const one of part) {
    const run = runs.at(-1);
    const follows = run && isAsItIs(run) && isAsItIs([one]) && keys[keys.indexOf(run.at(-1)!.from) + 1] === one.from;
    if (follows) run.push(one);
    else runs.push([one]);
  }
  return runs;
}

const isAsItIs = ([first]: readonly Member[]) =>
  first !== undefined && first.name === first.from && !first.isTime && !first.orNull;

function stepOf([first]: readonly Member[], comma: string, groups: Groups): Step {
  const { name, from, isTime = false } = first!;
  const run = isAsItIs([first!]) ? groups.run.get(from) : undefined;
  if (run !== undefined) return { before: comma, group: run, isTime: false };
  const group = groups.value.get(from) ?? 0;
  return { before: `${comma}"${name}":${group === 0 ? 'null' : ''}`, group, isTime: isTime && group > 0 };
}
