// Orama: words (BM25) and vectors in the memory of a Node process, fused by its own hybrid search.
import { execFileSync } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cacheFolder, packageVersion } from '../../machine.ts';

const release = '3.1.18';
const packages = ['@orama/orama', '@orama/stemmers', '@orama/stopwords'] as const;

export interface OramaEntry {
  id: string;
  text: string;
  vector: Float32Array;
}

/** `hybrid` with weights of its own where none are given. */
export interface OramaMode {
  mode: 'hybrid' | 'fulltext' | 'vector';
  weights?: { text: number; vector: number };
}

export interface OramaIndex {
  insert(entries: readonly OramaEntry[]): Promise<void>;
  /** Ids of the best, in order. */
  search(text: string, vector: Float32Array, limit: number, mode?: OramaMode): Promise<string[]>;
}

/** The part of its interface that is used. */
interface Library {
  create(options: object): object;
  insertMultiple(index: object, documents: readonly object[], batch: number): Promise<unknown>;
  search(index: object, options: object): Promise<{ hits: { id: string }[] }>;
}

export interface Orama {
  name: string;
  open(dimensions: number): OramaIndex;
}

/** Orama with its own English stemmer and stop words, installed on first use; else the reason why it is missing. */
export async function loadOrama(): Promise<Orama | { missing: string }> {
  const folder = cacheFolder('orama');
  try {
    if (packages.some((name) => packageVersion(folder, name) !== release)) {
      if (!existsSync(join(folder, 'package.json')))
        writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
      const wanted = packages.map((name) => `${name}@${release}`);
      const words = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--silent', ...wanted];
      execFileSync('npm', words, { cwd: folder, timeout: 300_000 });
    }
    const load = (path: string) => import(pathToFileURL(join(folder, 'node_modules/@orama', path)).href);
    const library = (await load('orama/dist/esm/index.js')) as Library;
    const { stemmer } = await load('stemmers/dist/en.js');
    const { stopwords } = await load('stopwords/dist/en.js');
    const tokenizer = { language: 'english', stemming: true, stemmer, stopWords: stopwords };
    return { name: `Orama ${release}`, open: (dimensions) => openIndex(library, tokenizer, dimensions) };
  } catch (error) {
    return { missing: `npm could not install it: ${(error as Error).message.split('\n')[0]}` };
  }
}

function openIndex(library: Library, tokenizer: object, dimensions: number): OramaIndex {
  const schema = { text: 'string', vector: `vector[${dimensions}]` };
  const index = library.create({ schema, components: { tokenizer } });
  return {
    async insert(entries) {
      const documents = entries.map(({ vector, ...entry }) => ({ ...entry, vector: [...vector] }));
      await library.insertMultiple(index, documents, documents.length);
    },
    async search(text, vector, limit, { mode, weights } = { mode: 'hybrid' }) {
      const { hits } = await library.search(index, {
        mode,
        limit,
        ...(mode !== 'vector' && { term: text, properties: ['text'] }),
        // By default vectors below .8 are left out, which are nearly all that the bundled embedder has for a question.
        ...(mode !== 'fulltext' && { vector: { value: vector, property: 'vector' }, similarity: 0 }),
        ...(weights && { hybridWeights: weights }),
      });
      return hits.map(({ id }) => id);
    },
  };
}
