// Fences around what is recalled, so that a model reads it as data, and so that it is not taken for something new.

const tag = /<(\/?)(recalled-)/gi;
const attribute = (text: string) => text.replace(/[\s"<>]+/g, ' ').trim();

/**
 * A text that nothing in it can end.
 *
 * @param kind - what it is, e.g. `memory`
 * @example fenced('fact', { key: 'port' }, '7717') // <recalled-fact key="port">\n7717\n</recalled-fact>
 */
export function fenced(kind: string, about: Readonly<Record<string, string | number>>, text: string): string {
  const named = Object.entries(about).map(([name, value]) => ` ${name}="${attribute(String(value))}"`);
  return `<recalled-${kind}${named.join('')}>\n${text.replace(tag, '‹$1$2')}\n</recalled-${kind}>`;
}

/** Whether a text is, or holds, what was recalled. */
export const isFenced = (text: string) => /<\/?recalled-/i.test(text);
