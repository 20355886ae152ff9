// What a text is made of once it is read: a tree in which nothing unsafe can be said.
import type { Tag } from './limits.ts';

/** Words, or what they are in. */
export type Node = string | Element | Code | Formula;

export interface Element {
  tag: Tag;
  children: Node[];
  /** Where a link leads: with a scheme that is allowed, or within the place where the text is. */
  href?: string;
  /** Of a link: the text has an image here, which nobody is asked for until somebody follows it. */
  isImage?: true;
  /** Of an item of a list: whether it is done, where that is said. */
  isDone?: boolean;
  /** Number of the first item. */
  start?: number;
  align?: 'left' | 'right' | 'center';
  /** Of a heading. */
  id?: string;
}

export interface Code {
  tag: 'pre' | 'code';
  text: string;
  /** Its language, where the text names one: letters, digits and `+#.-`. */
  language: string;
  /** Name of the file that it is, where its fence says that: ```ts title="app.ts", ```ts src/app.ts, ```ts:app.ts. */
  file?: string;
  /** Whether it may be coloured, which takes a while. */
  isColoured: boolean;
  /** Mermaid, written to its end. */
  isDiagram: boolean;
}

export interface Formula {
  tag: 'math';
  /** TeX. */
  text: string;
  /** On a line of its own. */
  isBlock: boolean;
}

/** Code that is shown as it is. */
export const plainCode = (tag: Code['tag'], text: string): Code => ({
  tag,
  text,
  language: '',
  isColoured: false,
  isDiagram: false,
});

export const isElement = (node: Node): node is Element => typeof node !== 'string' && 'children' in node;

/** The `id` of a heading: apart from the ids of whatever page shows it. @example anchorOf('Set up!') // 'h-set-up' */
export const anchorOf = (heading: string): string =>
  `h-${heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s-]/gu, '')
    .trim()
    .replaceAll(/\s+/g, '-')}`;

/** Words as they stand, without their signs. */
export function wordsOf(nodes: readonly Node[]): string {
  const words = (node: Node): string => {
    if (typeof node === 'string') return node;
    const text = isElement(node) ? wordsOf(node.children) : node.text;
    return isWithinLine(node) ? text : `${text} `;
  };
  return nodes.map(words).join('');
}

const withinLine: ReadonlySet<string> = new Set(['a', 'em', 'strong', 's', 'code']);
/** Whether words before and after it are of one line with it. */
export const isWithinLine = (node: Exclude<Node, string>): boolean =>
  node.tag === 'math' ? !('isBlock' in node && node.isBlock) : withinLine.has(node.tag);

const withSides: ReadonlySet<string> = new Set(['ul', 'ol', 'blockquote', 'table']);
/** Whether what it draws beside its words (marks, a line, the first column) stands on the side where these begin. */
export const hasSides = (tag: string): boolean => withSides.has(tag);
