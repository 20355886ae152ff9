// A terminal that scrolls what has happened and keeps a live footer below it; plain lines where there is no TTY.
import { stripVTControlCharacters } from 'node:util';

export interface Terminal {
  /** One finished line. */
  line(text: string): void;
  /** One finished line above a streamed one that goes on. */
  above(text: string): void;
  /** Streamed text: complete lines scroll, the rest waits in the last line. */
  stream(text: string): void;
  /** Ends a streamed line that has begun. */
  endStream(): void;
  /** Lines that stay at the bottom; ignored without a TTY. */
  footer(lines: string[]): void;
  close(): void;
  readonly color: boolean;
  readonly columns: number;
}

export interface Output {
  isTTY?: boolean | undefined;
  columns?: number | undefined;
  write(text: string): unknown;
}

const up = (lines: number) => (lines > 0 ? `\x1b[${lines}A` : '');
const clearBelow = '\r\x1b[J';

/** Prints to `output`; colours only on a TTY. */
export function createTerminal(output: Output, options: { color: boolean }): Terminal {
  let partial = '';
  let footerLines: string[] = [];
  /** Rows drawn below the scrolled text, which the next drawing replaces. */
  let drawnRows = 0;
  const columns = () => Math.max(20, output.columns ?? 80);
  const tty = Boolean(output.isTTY);

  const draw = (scrolled: string) => {
    if (!tty) {
      if (scrolled) output.write(scrolled);
      return;
    }
    const live = [...(partial ? [partial] : []), ...footerLines.map((line) => clip(line, columns()))];
    const rows = live.reduce((sum, line) => sum + Math.max(1, Math.ceil(visibleLength(line) / columns())), 0);
    output.write(up(drawnRows - 1) + (drawnRows > 0 ? clearBelow : '') + scrolled + live.join('\n'));
    drawnRows = rows;
  };

  const endStream = () => {
    if (!partial) return;
    const last = partial;
    partial = '';
    draw(`${last}\n`);
  };

  return {
    color: options.color && tty,
    get columns() {
      return columns();
    },
    line: (text) => {
      endStream();
      draw(`${text}\n`);
    },
    above: (text) => draw(`${text}\n`),
    stream: (text) => {
      const lines = (partial + text).split('\n');
      partial = lines.pop() ?? '';
      draw(lines.map((line) => `${line}\n`).join(''));
    },
    endStream,
    footer: (lines) => {
      footerLines = tty ? lines : [];
      draw('');
    },
    close: () => {
      endStream();
      footerLines = [];
      draw('');
    },
  };
}

const escapeByte = String.fromCharCode(27);
const colourCode = new RegExp(`(${escapeByte}\\[[0-9;]*m)`);

function visibleLength(text: string): number {
  return stripVTControlCharacters(text).length;
}

/** Cuts a line to `width` visible characters, keeping its escape sequences. */
export function clip(text: string, width: number): string {
  if (visibleLength(text) <= width) return text;
  let visible = 0;
  let result = '';
  for (const part of text.split(colourCode)) {
    if (part.startsWith(escapeByte)) result += part;
    else {
      const piece = part.slice(0, Math.max(0, width - 1 - visible));
      visible += piece.length;
      result += piece;
    }
  }
  return `${result}…\x1b[0m`;
}
