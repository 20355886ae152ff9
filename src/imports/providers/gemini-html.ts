// Gemini: the same activity as a page, which is what Takeout exports unless it is asked for JSON.
import { Parser } from 'htmlparser2';
import { timeOf } from '../fields.ts';
import type { Format } from '../shapes.ts';
import { createSittings, promptOf } from '../sittings.ts';

interface Cell {
  text: string;
  header: string;
}

const blocks = new Set(['p', 'br', 'div', 'li', 'pre', 'h1', 'h2', 'h3', 'h4', 'tr']);
/** A line of a cell that is its time: `Jan 2, 2026, 3:04:05 PM UTC`, `02.01.2026, 15:04:05 MEZ`. */
const timeLine = /^.{0,30}\d{1,2}[.,: ].{0,30}\d{1,2}:\d{2}(?::\d{2})?.{0,20}$/u;

export const geminiHtml: Format = {
  provider: 'Gemini',
  name: 'gemini-takeout-html',
  takes: ({ value }) => typeof value === 'string',
  open: () => {
    const sittings = createSittings();
    const cells: Cell[] = [];
    const parser = cellParser((cell) => cells.push(cell));
    const drain = function* () {
      for (const cell of cells.splice(0))
        if (/gemini|bard/i.test(cell.header)) yield* sittings.add(activityOf(cell.text));
    };
    return {
      *read({ value }) {
        parser.write(String(value));
        yield* drain();
      },
      *end() {
        parser.end();
        yield* drain();
        yield* sittings.end();
      },
    };
  },
};

/** Finds the cells of activities: a header, and a content without a title of its own. */
function cellParser(found: (cell: Cell) => void): Parser {
  let [depth, headerDepth, contentDepth] = [0, 0, 0];
  let cell: Cell = { text: '', header: '' };
  return new Parser({
    onopentag(name, { class: kind = '' }) {
      if (name !== 'br') depth++;
      if (/\bouter-cell\b/.test(kind)) cell = { text: '', header: '' };
      if (/\bheader-cell\b/.test(kind)) headerDepth = depth;
      const isContent = /\bcontent-cell\b/.test(kind) && !/--caption|text-right/.test(kind);
      if (isContent && contentDepth === 0) contentDepth = depth;
      if (blocks.has(name) && contentDepth > 0 && depth > contentDepth - (name === 'br' ? 1 : 0)) cell.text += '\n';
    },
    ontext(text) {
      if (contentDepth > 0) cell.text += text;
      else if (headerDepth > 0) cell.header += text;
    },
    onclosetag(name) {
      if (name === 'br') return;
      if (depth === headerDepth) headerDepth = 0;
      if (depth === contentDepth) {
        contentDepth = 0;
        if (cell.text.trim()) found(cell);
        cell = { text: '', header: cell.header };
      }
      depth--;
    },
  });
}

function activityOf(text: string) {
  const lines = text.replaceAll('\u00a0', ' ').replaceAll('\u202f', ' ').split('\n');
  const at = lines.findIndex((line) => timeLine.test(line.trim()) && whenOf(line) !== null);
  if (at < 0) return { prompt: promptOf(lines[0]?.trim() ?? ''), answer: lines.slice(1).join('\n').trim(), at: null };
  return {
    prompt: promptOf(lines.slice(0, at).join('\n').trim()),
    answer: lines
      .slice(at + 1)
      .join('\n')
      .trim(),
    at: whenOf(lines[at] as string),
  };
}

function whenOf(line: string): Date | null {
  const text = line.trim();
  const dotted = /^(\d{1,2})\.(\d{1,2})\.(\d{4}),? (\d{1,2}:\d{2}(?::\d{2})?)/.exec(text);
  if (dotted) {
    const [, day = '', month = '', year = '', time = ''] = dotted;
    return timeOf(`${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}T${time.padStart(5, '0')}Z`);
  }
  return timeOf(text) ?? timeOf(text.replace(/ [A-Z]{2,5}$/, ' UTC'));
}
