// The documents of the project as checks read them: their files, their blocks of code, their words of code.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesIn, root } from './sources.ts';

export interface Block {
  /** E.g. `docs/cli.md: rivulet start`. */
  where: string;
  language: string;
  text: string;
}

/** Paths of what people read of the project; releases tell of what was there then. */
export const documents: readonly string[] = [
  ...filesIn(['docs', 'examples', 'clients'], /\.md$/),
  'README.md',
  'CONTRIBUTING.md',
].filter((path) => !path.includes('node_modules') && !path.includes('.tools'));

export const textOf = (path: string): string => readFileSync(join(root, path), 'utf8');

const fence = /^ *```(\w*)\n([\s\S]*?)^ *```/gm;

/** Fenced code, of the languages named. */
export const blocksOf = (...languages: string[]): Block[] =>
  documents.flatMap((path) =>
    [...textOf(path).matchAll(fence)]
      .filter(([, language = '']) => languages.includes(language))
      .map(([, language = '', text = '']) => ({
        where: `${path}: ${text.trim().split('\n', 1)[0]}`,
        language,
        text,
      })),
  );

/** Text without fenced code. */
export const proseOf = (path: string): string => textOf(path).replaceAll(fence, '');

/** What stands in backticks within lines. */
export const codeWordsOf = (path: string): string[] =>
  [...proseOf(path).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) => code);
