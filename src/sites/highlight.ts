// Colours code when a site is built, so that reading needs no script.
import { createRequire } from 'node:module';
import { mayColour } from '../markdown/limits.ts';

/** What is used of highlight.js; its own types bring those of browsers into the whole server. */
interface Highlighter {
  getLanguage(name: string): object | undefined;
  highlight(code: string, options: { language: string; ignoreIllegals: boolean }): { value: string };
}

let loaded: Highlighter | null = null;

/** Loads it with the first site that is built: its languages take some hundred milliseconds. */
export function loadHighlighter(): (code: string, language: string) => string | null {
  loaded ??= createRequire(import.meta.url)('highlight.js/lib/common') as Highlighter;
  const highlighter = loaded;
  /** HTML in which all but the marks of the highlighter is escaped; null for a language that it does not know. */
  return (code, language) => {
    if (!mayColour(code) || !language || !highlighter.getLanguage(language)) return null;
    return highlighter.highlight(code, { language, ignoreIllegals: true }).value;
  };
}
