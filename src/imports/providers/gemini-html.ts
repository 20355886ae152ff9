// Gemini: the same activity as a page, which is what Takeout exports unless it is asked for JSON.
import { Parser } from 'htmlparser2';
import { broken } from '../broken.ts';
import { tidyLines, tooDeep } from '../html-text.ts';
import { limits } from '../limits.ts';
import { pageTime } from '../page-times.ts';
import type { Format, Parsed } from '../shapes.ts';
import { activityOf, createSittings, noActivity } from '../sittings.ts';

interface Cell {
  text: string;
  header: string;
}

const blocks = new Set(['p', 'br', 'div', 'li', 'pre', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'tr', 'blockquote']);

export const geminiHtml: Format = {
  provider: 'Gemini',
  name: 'gemini-takeout-html',
  takes: ({ value }) => typeof value === 'string',
  open: ({ name }) => {
    const sittings = createSittings();
    const cells: Cell[] = [];
    const page = createPage((cell) => cells.push(cell));
    let isOwn = false;
    const drain = function* () {
      for (const cell of cells.splice(0)) {
        if (!/gemini|bard/i.test(cell.header)) continue;
        isOwn = true;
        yield* activity(cell.text);
      }
    };
    function* activity(text: string): Generator<Parsed> {
      const { title, answer, at } = partsOf(text);
      const found = activityOf(title, answer);
      if (found) yield* sittings.add({ ...found, at });
      else yield noActivity(title);
    }
    return {
      *read({ value }) {
        page.write(String(value));
        yield* drain();
      },
      *end() {
        page.end();
        yield* drain();
        yield* sittings.end();
        if (!isOwn) yield { kind: 'skipped', reason: 'files that hold no conversations', where: name };
      },
    };
  },
};

/** Finds the cells of activities: a header, and a content without a title of its own. */
function createPage(found: (cell: Cell) => void) {
  let [depth, headerDepth, contentDepth, unread] = [0, 0, 0, 0];
  let cell: Cell = { text: '', header: '' };
  const add = (text: string) => {
    if (contentDepth > 0) {
      if (cell.text.length < limits.htmlTextLength) cell.text += text;
    } else if (headerDepth > 0 && cell.header.length < 1000) cell.header += text;
  };
  const parser = new Parser({
    onopentag(name, { class: kind = '' }) {
      unread = 0;
      if (name !== 'br' && ++depth > limits.htmlDepth) throw tooDeep();
      if (/\bouter-cell\b/.test(kind)) cell = { text: '', header: '' };
      if (/\bheader-cell\b/.test(kind)) headerDepth = depth;
      const isContent = /\bcontent-cell\b/.test(kind) && !/--caption|text-right/.test(kind);
      if (isContent && contentDepth === 0) contentDepth = depth;
      const isWithin = contentDepth > 0 && depth > contentDepth - (name === 'br' ? 1 : 0);
      if (blocks.has(name) && isWithin) add(name !== 'br' && cell.text.endsWith('\n') ? '' : '\n');
      if (name === 'li' && isWithin) add('- ');
    },
    ontext(text) {
      unread = 0;
      add(text);
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
  return {
    /** @throws Fault VALIDATION_FAILED for what goes on without an end: the parser keeps all of it */
    write(text: string): void {
      unread += text.length;
      parser.write(text);
      if (unread > limits.htmlTextLength) throw broken('A page of the archive is damaged.');
    },
    end: () => parser.end(),
  };
}

/** The lines of a file among those of a question: `- boat.png` after `Attached 1 file.` */
const attached = /^(?:attached|angehängt|anexad|adjunt|joint)\D{0,20}\d+ .{1,20}\.$/i;

function partsOf(text: string): { title: string; answer: string; at: Date | null } {
  const lines = text.replaceAll(/[\u00a0\u202f]/g, ' ').split('\n');
  const where = lines.findIndex((line) => pageTime(line) !== null);
  const asked = where < 0 ? lines.slice(0, 1) : lines.slice(0, where);
  const files = asked.findIndex((line) => attached.test(line.trim()));
  const said = files < 0 ? asked : asked.slice(0, files);
  const names = files < 0 ? [] : asked.slice(files + 1).map((line) => line.trim().replace(/^-\s*/, ''));
  return {
    title: [tidyLines(said.join('\n')), ...names.filter(Boolean).map((name) => `[file ${name.slice(0, 200)}]`)].join(
      '\n',
    ),
    answer: tidyLines(lines.slice(Math.max(where, 0) + 1).join('\n')),
    at: where < 0 ? null : pageTime(lines[where] as string),
  };
}
