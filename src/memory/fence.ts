// Fences around recalled text, so that a model reads it as data, and so that it is not stored again as new.

const tag = /<(\/?)(recalled-)/gi;
const attribute = (text: string) => text.replace(/[\s"<>]+/g, ' ').trim();

/**
 * Fences a text so that nothing inside it can end the fence.
 *
 * @param kind - kind of the text, e.g. `memory`
 * @example fenced('fact', { key: 'port' }, '7717') // <recalled-fact key="port">\n7717\n</recalled-fact>
 */
export function fenced(kind: string, about: Readonly<Record<string, string | number>>, text: string): string {
  const named = Object.entries(about).map(([name, value]) => ` ${name}="${attribute(String(value))}"`);
  return `<recalled-${kind}${named.join('')}>\n${text.replace(tag, '‹$1$2')}\n</recalled-${kind}>`;
}

/** Whether a text contains recalled text. */
export const isFenced = (text: string) => /<\/?recalled-/i.test(text);
