// Artifacts: blocks of code in answers that are worth a place beside the chat, and which of them are versions of one.
import { growingTree } from '../../../markdown/growing.ts';
import { type Code, isElement, type Node, wordsOf } from '../../../markdown/nodes.ts';

export type ArtifactKind = 'html' | 'svg' | 'markdown' | 'mermaid' | 'code';

export interface Artifact {
  /** The message and the place among its blocks of code: `12.0`. */
  key: string;
  kind: ArtifactKind;
  language: string;
  /** Name of its file, or its first heading; empty where it has neither. */
  title: string;
  text: string;
}

/** Code of no other kind is worth a place from this many lines on, or by a name. */
const fewLines = 4;
const longestTitle = 100;

const kinds: Record<string, ArtifactKind> = {
  ...{ html: 'html', htm: 'html', xhtml: 'html', svg: 'svg' },
  ...{ md: 'markdown', mdx: 'markdown', markdown: 'markdown', mermaid: 'mermaid' },
};

export function kindOf({ language, text }: Pick<Code, 'language' | 'text'>): ArtifactKind {
  const kind = kinds[language.toLowerCase()] ?? 'code';
  return /^(html|xml|)$/.test(language) && /^\s*(<\?xml[^>]*>\s*)?<svg[\s>]/.test(text) ? 'svg' : kind;
}

export const isArtifact = (code: Code): boolean =>
  kindOf(code) !== 'code' || Boolean(code.file) || (code.language !== '' && code.text.split('\n').length >= fewLines);

const fileName = /^[\w@./-]{1,90}\.\w{1,8}$/;
/** A first line that is a comment with a name: `// src/app.ts`, `# app.py`, `<!-- index.html -->`. */
const namedByComment =
  /^(?:\/\/|#|--|;|\/\*|<!--)\s*(?:file(?:name)?:\s*)?([\w@./-]{1,90}\.\w{1,8})\s*(?:\*\/|-->)?\s*$/;
const headings: Partial<Record<ArtifactKind, RegExp[]>> = {
  html: [/<title[^>]*>([^<]+)/i, /<h1[^>]*>([^<]+)/i],
  svg: [/<title[^>]*>([^<]+)/i],
  markdown: [/^#{1,6}\s+(.+?)\s*#*$/m],
  mermaid: [/^\s*(?:accTitle|title)\s*:?\s+(.+)$/m],
};

function titleOf(code: Code, kind: ArtifactKind, before: string): string {
  const [first = ''] = code.text.split('\n', 1);
  const named = code.file || (fileName.test(before) ? before : '') || namedByComment.exec(first)?.[1];
  const found = named || (headings[kind] ?? []).map((one) => one.exec(code.text)?.[1]).find(Boolean);
  return (found ?? '').trim().slice(0, longestTitle);
}

/** The artifacts of a message, in their order. */
export function artifactsIn(messageId: number, nodes: readonly Node[]): Artifact[] {
  const found: Artifact[] = [];
  let place = 0;
  const walk = (list: readonly Node[]) => {
    let before = '';
    for (const node of list) {
      if (typeof node === 'string') continue;
      if (node.tag === 'pre') {
        const code = node as Code;
        const kind = kindOf(code);
        const key = `${messageId}.${place++}`;
        const { language, text } = code;
        if (isArtifact(code)) found.push({ key, kind, language, title: titleOf(code, kind, before), text });
      } else if (isElement(node)) walk(node.children);
      before = wordsOf([node]).trim().replace(/:$/, '');
    }
  };
  walk(nodes);
  return found;
}

/** Artifacts of one kind and name are versions of one, in the order of the answers; one without a name stands alone. */
export const versionsOf = (all: readonly Artifact[], one: Artifact): Artifact[] =>
  one.title === '' ? [one] : all.filter(({ kind, title }) => kind === one.kind && title === one.title);

interface Said {
  id: number;
  text: string;
}

/** Reads the artifacts of answers; an answer that has not changed is not read again, one that grows from its last blocks on. */
export function createArtifactReader(): (answers: readonly Said[]) => Artifact[] {
  const known = new Map<number, { text: string; grow: (text: string) => readonly Node[]; found: Artifact[] }>();
  return (answers) =>
    answers.flatMap(({ id, text }) => {
      const old = known.get(id);
      if (old?.text === text) return old.found;
      const grow = old?.grow ?? growingTree();
      const found = artifactsIn(id, grow(text));
      known.set(id, { text, grow, found });
      return found;
    });
}

const extensions: Record<string, string> = {
  ...{ html: 'html', svg: 'svg', markdown: 'md', mermaid: 'mmd', javascript: 'js', typescript: 'ts', python: 'py' },
  ...{ bash: 'sh', shell: 'sh', rust: 'rs', ruby: 'rb', csharp: 'cs', kotlin: 'kt', yaml: 'yml' },
};

/** The name under which an artifact is saved: that of its file, else made of its title. */
export function fileNameOf({ title, kind, language }: Artifact): string {
  const own = title.split('/').at(-1) ?? '';
  if (fileName.test(own)) return own;
  const words = own.replaceAll(/[^\p{L}\p{N}]+/gu, '-').replaceAll(/^-|-$/g, '');
  const kept = kind === 'code' ? language.toLowerCase() : kind;
  return `${words || 'artifact'}.${extensions[kept] ?? (/^\w{1,8}$/.test(kept) ? kept : 'txt')}`;
}

/** SVG as a page that shows it alone. */
export const pageOf = ({ kind, text }: Pick<Artifact, 'kind' | 'text'>): string =>
  kind === 'svg'
    ? `<!doctype html><style>body{margin:0;min-height:100vh;display:grid;place-items:center}svg{max-width:100%;max-height:100vh}</style>${text.replace(/^\s*<\?xml[^>]*>/, '')}`
    : text;
