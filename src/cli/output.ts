// What commands print: tables and lines for people, JSON for programs, colours on a terminal only.
import { stripVTControlCharacters, styleText } from 'node:util';

type Style = Parameters<typeof styleText>[0];

/** What a command has done: for programs, and in lines for people. */
export interface Told {
  result: object;
  lines: readonly string[];
}

export interface Printer {
  /** `--json` was given: one JSON document or one JSON line an event, and nothing else on the output. */
  readonly isJson: boolean;
  /** One line on the output. */
  line(text: string): void;
  /** A remark beside the result: on the error output, and nothing with --json. */
  remark(text: string): void;
  json(value: unknown): void;
  /** The result with --json, else its lines. */
  tell(told: Told): void;
  /** Rows under their headings; each column as wide as its widest cell. */
  table(headings: readonly string[], rows: readonly (readonly string[])[]): void;
  paint(style: Style, text: string): string;
}

interface Streams {
  out: Pick<NodeJS.WriteStream, 'write'> & { isTTY?: boolean; columns?: number };
  err: Pick<NodeJS.WriteStream, 'write'>;
}

export function createPrinter(
  { json = false, noColor = false }: { json?: boolean | undefined; noColor?: boolean | undefined },
  { out, err }: Streams = { out: process.stdout, err: process.stderr },
): Printer {
  const isColour = !json && !noColor && out.isTTY === true;
  const line = (text: string) => void out.write(`${text}\n`);
  const toJson = (value: unknown) => void out.write(`${JSON.stringify(value, null, out.isTTY ? 2 : undefined)}\n`);
  const paint = (style: Style, text: string) => (isColour ? styleText(style, text, { validateStream: false }) : text);
  return {
    isJson: json,
    line,
    remark: (text) => {
      if (!json) err.write(`${text}\n`);
    },
    json: toJson,
    tell: ({ result, lines }) => {
      if (json) toJson(result);
      else lines.forEach(line);
    },
    table: (headings, rows) => {
      for (const line of tableLines(headings, rows, out.isTTY ? (out.columns ?? 80) : Number.POSITIVE_INFINITY))
        out.write(`${line}\n`);
    },
    paint,
  };
}

/** Control characters of what others wrote never reach the terminal. */
const plain = (cell: string) =>
  stripVTControlCharacters(cell)
    .replaceAll(/[\p{Cc}\s]+/gu, ' ')
    .trim();

/** Lines of a table; where it is wider than the terminal its last column is cut. */
export function tableLines(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number,
): string[] {
  const cells = [headings, ...rows.map((row) => row.map(plain))];
  const widths = headings.map((_, i) => Math.max(...cells.map((row) => (row[i] ?? '').length)));
  return cells.map((row) => {
    const line = row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0))).join('  ');
    return (line.length > columns ? `${line.slice(0, columns - 1)}…` : line).trimEnd();
  });
}
