// Names of Qdrant's collections, which can be parsed back into their space.
import type { VectorSpace } from '../../../ports/vectors.ts';

/** Escapes characters that names must not have by their code: `openai:small` → `openai=3Asmall`. */
const escaped = (text: string) =>
  text.replace(/[^A-Za-z0-9_-]/g, (letter) =>
    [...Buffer.from(letter)].map((byte) => `=${byte.toString(16).padStart(2, '0').toUpperCase()}`).join(''),
  );

const unescaped = (text: string) => decodeURIComponent(text.replaceAll('=', '%'));

/** @example collectionOf('rivulet', { kind: 'memories', model: 'bundled', dimensions: 512 }) // 'rivulet.memories.512.bundled' */
export const collectionOf = (prefix: string, { kind, model, dimensions }: VectorSpace) =>
  [prefix, kind, dimensions, escaped(model)].join('.');

/** Space of a collection; null for a collection that is not of this server. */
export function spaceOf(prefix: string, name: string): VectorSpace | null {
  if (!name.startsWith(`${prefix}.`)) return null;
  const [kind, dimensions, model, ...rest] = name.slice(prefix.length + 1).split('.');
  if (!kind || !model || !/^\d+$/.test(dimensions ?? '') || rest.length > 0) return null;
  return { kind, model: unescaped(model), dimensions: Number(dimensions) };
}
