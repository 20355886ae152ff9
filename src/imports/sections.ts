// Divides a text by its headings, so that each section is a memory of its own.
import { titleOf } from './fields.ts';

/** Characters of a section at most; a longer one goes on in a further one. */
const longest = 8000;

export interface Section {
  title: string;
  content: string;
}

export function sectionsOf(text: string, name: string): Section[] {
  const sections: Section[] = [];
  let [title, lines]: [string, string[]] = [name, []];
  const close = () => {
    const content = lines.join('\n').trim();
    for (let from = 0; from < content.length; from += longest)
      sections.push({ title, content: content.slice(from, from + longest) });
    lines = [];
  };
  for (const line of text.split(/\r?\n/)) {
    const heading = /^#{1,6}\s+(.+)$/.exec(line) ?? /^\*\*(.{1,100}?):?\*\*:?\s*$/.exec(line);
    if (!heading) lines.push(line);
    else {
      close();
      title = titleOf(`${name}: ${heading[1]}`) ?? name;
    }
  }
  close();
  return sections;
}
