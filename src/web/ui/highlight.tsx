// Colours code; a chunk of its own, since most pages show none.
import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import css from 'highlight.js/lib/languages/css';
import diff from 'highlight.js/lib/languages/diff';
import go from 'highlight.js/lib/languages/go';
import javascript from 'highlight.js/lib/languages/javascript';
import json from 'highlight.js/lib/languages/json';
import markdown from 'highlight.js/lib/languages/markdown';
import python from 'highlight.js/lib/languages/python';
import rust from 'highlight.js/lib/languages/rust';
import sql from 'highlight.js/lib/languages/sql';
import typescript from 'highlight.js/lib/languages/typescript';
import xml from 'highlight.js/lib/languages/xml';
import yaml from 'highlight.js/lib/languages/yaml';
import { mayColour } from '../../markdown/limits.ts';

const languages = { bash, css, diff, go, javascript, json, markdown, python, rust, sql, typescript, xml, yaml };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

const byExtension = new Map(
  Object.entries({
    ts: 'typescript',
    tsx: 'typescript',
    js: 'javascript',
    mjs: 'javascript',
    py: 'python',
    rs: 'rust',
    sh: 'bash',
    yml: 'yaml',
    html: 'xml',
    svg: 'xml',
    md: 'markdown',
  }),
);

export function Highlighted({ text, language }: { text: string; language: string }) {
  const name = byExtension.get(language) ?? language;
  if (!hljs.getLanguage(name) || !mayColour(text)) return <>{text}</>;
  const html = hljs.highlight(text, { language: name, ignoreIllegals: true }).value;
  // biome-ignore lint/security/noDangerouslySetInnerHtml: highlight.js escapes the text and adds only spans of its own
  return <code dangerouslySetInnerHTML={{ __html: html }} />;
}
