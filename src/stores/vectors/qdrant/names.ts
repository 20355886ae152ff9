// Names of Qdrant's collections, from which the space can be read again.
import type { VectorSpace } from '../../../ports/vectors.ts';

/** What may not stand in a name is written as its code: `openai:small` → `openai=3Asmall`. */
const escaped = (text: string) =>
  text.replace(/[^A-Za-z0-9_-]/g, (letter) =>
    [...Buffer.from(letter)].map((byte) => `=${byte.toString(16).padStart(2, '0').toUpperCase()}`).join(''),
  );

const unescaped = (text: string) => decodeURIComponent(text.replaceAll('=', '%'));

/** @example collectionOf('rivulet', { kind: 'memories', model: 'bundled', dimensions: 512 }) // 'rivulet.memories.512.bundled' */
export const collectionOf = (prefix: string, { kind, model, dimensions }: VectorSpace) =>
  [prefix, kind, dimensions, escaped(model)].join('.');

/** Null for a collection of somebody else. */
export function spaceOf(prefix: string, name: string): VectorSpace | null {
  if (!name.startsWith(`${prefix}.`)) return null;
  const [kind, dimensions, model, ...rest] = name.slice(prefix.length + 1).split('.');
  if (!kind || !model || !/^\d+$/.test(dimensions ?? '') || rest.length > 0) return null;
  return { kind, model: unescaped(model), dimensions: Number(dimensions) };
}
