// Markdown of anybody as React elements, from the same tree as the server's HTML: no HTML of theirs is in the page.
// biome-ignore-all lint/suspicious/noArrayIndexKey: parsed text has no identity but its place

import { memo, Suspense, useContext, useMemo, useState } from 'react';
import { growingTree } from '../../markdown/growing.ts';
import type { Code as CodeNode, Formula, Node } from '../../markdown/nodes.ts';
import { lineOf, treeOf } from '../../markdown/tree.ts';
import { t } from '../base/i18n.ts';
import { lazyPart } from '../base/lazy-part.ts';
import { Code } from './code.tsx';
import { markdownOptions, type Parts, viewOf, viewsOf } from './markdown-elements.ts';
import { OpenCodeContext } from './open-code.ts';

const Highlighted = lazyPart(
  () => import('./highlight.tsx'),
  (part) => part.Highlighted,
);

const LazyFormula = lazyPart(
  () => import('./formula.tsx'),
  (part) => part.Formula,
);

const LazyDiagram = lazyPart(
  () => import('./diagram.tsx'),
  (part) => part.Diagram,
);

function FormulaView({ text, isBlock }: Formula) {
  return (
    <Suspense fallback={<code>{text}</code>}>
      <LazyFormula tex={text} display={isBlock} />
    </Suspense>
  );
}

/** Whether an item of a checklist is done, which is read and not ticked here. */
const Done = ({ isDone }: { isDone: boolean }) => (
  <span className="task" data-checked={isDone} role="img" aria-label={isDone ? t('Done') : t('Not done')} />
);

function CodeBlock(node: CodeNode) {
  const { text, language, isColoured, isDiagram } = node;
  const onOpen = useContext(OpenCodeContext)(node);
  const code = (
    <Code
      text={text}
      wrap={false}
      onOpen={onOpen}
      render={(shown) =>
        isColoured ? (
          <Suspense fallback={shown}>
            <Highlighted text={shown} language={language} />
          </Suspense>
        ) : (
          shown
        )
      }
    />
  );
  if (!isDiagram) return code;
  return (
    <Suspense fallback={code}>
      <LazyDiagram text={text} onOpen={onOpen} />
    </Suspense>
  );
}

const parts: Parts = { code: CodeBlock, formula: FormulaView, done: Done };

/** A block that has not changed is not drawn again. */
const Block = memo(function Block({ node }: { node: Node }) {
  return viewOf(parts, node, 0);
});

interface Props {
  text: string;
  /** More is to come: what is whole is kept. */
  streaming?: boolean;
}

export const Markdown = memo(function Markdown({ text, streaming = false }: Props) {
  const [grow] = useState(() => growingTree(markdownOptions));
  const nodes = useMemo(() => (streaming ? grow(text) : treeOf(text, markdownOptions)), [grow, text, streaming]);
  return (
    <div className={`markdown ${streaming ? 'caret' : ''}`}>
      {nodes.map((node, index) => (
        <Block key={index} node={node} />
      ))}
    </div>
  );
});

/** Only what stands within a line: emphasis, code, links. */
export const MarkdownLine = memo(function MarkdownLine({ text }: { text: string }) {
  return viewsOf(parts, lineOf(text, markdownOptions));
});
