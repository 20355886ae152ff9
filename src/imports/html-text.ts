// The text of HTML that providers wrote: blocks as lines, lists with dashes; markup and scripts are left out.
import { Parser } from 'htmlparser2';
import { broken } from './broken.ts';
import { limits } from './limits.ts';

const blocks = /^(?:p|div|br|li|ul|ol|h[1-6]|pre|table|tr|blockquote|section|hr)$/;
const silent = /^(?:script|style|head|template)$/;

/** @throws Fault VALIDATION_FAILED for elements within each other that no page has: each end tag looks through all of them */
export const tooDeep = () => broken(`A page has more than ${limits.htmlDepth} elements within each other.`);

export function htmlText(html: string): string {
  let [text, hidden, depth] = ['', 0, 0];
  const parser = new Parser({
    onopentag(name) {
      if (++depth > limits.htmlDepth) throw tooDeep();
      if (silent.test(name)) hidden++;
      if (blocks.test(name) && !text.endsWith('\n')) text += '\n';
      if (name === 'li') text += '- ';
    },
    ontext(data) {
      if (hidden === 0) text += data;
    },
    onclosetag(name) {
      depth--;
      if (silent.test(name)) hidden--;
      if (blocks.test(name) && !text.endsWith('\n')) text += '\n';
    },
  });
  parser.end(html);
  return tidyLines(text);
}

/** Without spaces at the ends of lines, and with one empty line at most. */
export const tidyLines = (text: string): string =>
  text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
