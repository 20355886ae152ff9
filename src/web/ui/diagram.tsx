// A Mermaid diagram as a picture, with its text below; a chunk of its own, since most pages show none.
import mermaid, { type MermaidConfig } from 'mermaid';
import { useEffect, useState } from 'react';
import { t } from '../base/i18n.ts';
import { useDark } from '../base/prefs.ts';
import { Code } from './code.tsx';

/** Diagrams longer than this, in characters, take too long to lay out. */
const longest = 20_000;

const settings: MermaidConfig = {
  startOnLoad: false,
  suppressErrorRendering: true,
  // Nothing that a model writes becomes HTML, a link that acts, or a script.
  securityLevel: 'strict',
  htmlLabels: false,
  flowchart: { htmlLabels: false },
  maxTextSize: longest,
  // The picture stands alone: it has the fonts of the system only.
  fontFamily: 'system-ui, sans-serif',
};
/** What a diagram's own text cannot set, beside Mermaid's own list. */
const fixed = ['htmlLabels', 'flowchart', 'theme', 'themeCSS', 'themeVariables', 'fontFamily', 'dompurifyConfig'];
const own = ['secure', 'securityLevel', 'startOnLoad', 'maxTextSize', 'suppressErrorRendering', 'maxEdges'];

let count = 0;
/** Mermaid has one set of settings at a time. */
let turn: Promise<unknown> = Promise.resolve();

interface Picture {
  src: string;
  width: number;
  height: number;
}

/** Mermaid parses labels as HTML before it cleans them, which would load what tags in them name: they are told as words. */
const withoutTags = (text: string) =>
  text.replace(/<<[\w -]+>>|<br\s*\/?>|<(?=[a-z/!?])/gi, (found) => (found === '<' ? '#lt;' : found));

async function draw(text: string, dark: boolean): Promise<Picture> {
  const theme = dark ? 'dark' : 'neutral';
  mermaid.initialize({ ...settings, theme, secure: [...own, ...fixed] });
  const { svg } = await mermaid.render(`diagram-${count++}`, withoutTags(text));
  const root = new DOMParser().parseFromString(svg, 'image/svg+xml').documentElement;
  const [, , width = 0, height = 0] = (root.getAttribute('viewBox') ?? '').split(/[\s,]+/).map(Number);
  if (!(width > 0 && height > 0)) throw new Error('the diagram has no size');
  root.setAttribute('width', String(width));
  root.setAttribute('height', String(height));
  // In an image no script runs and nothing is loaded, whatever the drawing has in it.
  const src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(new XMLSerializer().serializeToString(root))}`;
  return { src, width, height };
}

export function Diagram({ text, onOpen = null }: { text: string; onOpen?: (() => void) | null }) {
  const dark = useDark();
  const [picture, setPicture] = useState<Picture | null>(null);
  useEffect(() => {
    let gone = false;
    const drawn = turn.then(() => draw(text, dark));
    turn = drawn.catch(() => null);
    void turn.then((found) => gone || setPicture(found as Picture | null));
    return () => {
      gone = true;
    };
  }, [text, dark]);
  const source = <Code text={text} title={t('Mermaid diagram, as text')} wrap={false} onOpen={onOpen} />;
  if (!picture) return source;
  return (
    <figure className="diagram">
      <img src={picture.src} width={Math.round(picture.width)} height={Math.round(picture.height)} alt={t('Diagram')} />
      <details>
        <summary>{t('As text')}</summary>
        {source}
      </details>
    </figure>
  );
}
