// The text of HTML that providers wrote: blocks as lines, lists with dashes; markup and scripts are left out.
import { Parser } from 'htmlparser2';

const blocks = /^(?:p|div|br|li|ul|ol|h[1-6]|pre|table|tr|blockquote|section|hr)$/;
const silent = /^(?:script|style|head|template)$/;

export function htmlText(html: string): string {
  let [text, hidden] = ['', 0];
  const parser = new Parser({
    onopentag(name) {
      if (silent.test(name)) hidden++;
      if (blocks.test(name) && !text.endsWith('\n')) text += '\n';
      if (name === 'li') text += '- ';
    },
    ontext(data) {
      if (hidden === 0) text += data;
    },
    onclosetag(name) {
      if (silent.test(name)) hidden--;
      if (blocks.test(name) && !text.endsWith('\n')) text += '\n';
    },
  });
  parser.end(html);
  return text
    .replaceAll(/[ \t]+\n/g, '\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim();
}
