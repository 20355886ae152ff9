// Markdown from models as React elements: no HTML of theirs is ever put into the page.
// biome-ignore-all lint/suspicious/noArrayIndexKey: parsed text has no identity but its place

import type { Token, Tokens } from 'marked';
import { memo, type ReactNode, Suspense } from 'react';
import { t } from '../base/i18n.ts';
import { lazyPart } from '../base/lazy-part.ts';
import { Code } from './code.tsx';
import { blockTokens, type FormulaToken, inlineTokens } from './markdown-lexer.ts';

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

function Formula({ token: { text, display } }: { token: FormulaToken }) {
  return (
    <Suspense fallback={<code>{text}</code>}>
      <LazyFormula tex={text} display={display} />
    </Suspense>
  );
}

/** An item of a checklist, which is read and not ticked here. */
const Task = ({ checked }: { checked: boolean }) => (
  <span className="task" data-checked={checked} role="img" aria-label={checked ? t('Done') : t('Not done')} />
);

/** Only links that open a page or a mail; anything else stays text. */
const safeHref = (href: string) => (/^(https?:|mailto:)/i.test(href) ? href : null);

const plain = (text: string) =>
  text.replace(
    /&(amp|lt|gt|quot|#39);/g,
    (_, name: string) => ({ amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" })[name] ?? '',
  );

function inline(tokens: Token[] | undefined): ReactNode[] {
  return (tokens ?? []).map((token, index) => {
    const key = `${index}${token.type}`;
    switch (token.type) {
      case 'strong':
        return <strong key={key}>{inline(token.tokens)}</strong>;
      case 'em':
        return <em key={key}>{inline(token.tokens)}</em>;
      case 'del':
        return <del key={key}>{inline(token.tokens)}</del>;
      case 'codespan':
        return <code key={key}>{plain((token as Tokens.Codespan).text)}</code>;
      case 'br':
        return <br key={key} />;
      case 'checkbox':
        return <Task key={key} checked={(token as Tokens.Checkbox).checked} />;
      case 'formula':
        return <Formula key={key} token={token as FormulaToken} />;
      case 'link': {
        const href = safeHref((token as Tokens.Link).href);
        return href ? (
          <a key={key} href={href} target="_blank" rel="noreferrer noopener">
            {inline(token.tokens)}
          </a>
        ) : (
          <span key={key}>{inline(token.tokens)}</span>
        );
      }
      case 'image':
        return (
          <span key={key} className="tag">
            {(token as Tokens.Image).text || 'image'}
          </span>
        );
      case 'text':
        return token.tokens ? <span key={key}>{inline(token.tokens)}</span> : plain((token as Tokens.Text).text);
      default:
        return plain(token.raw);
    }
  });
}

function List({ token }: { token: Tokens.List }) {
  const items = token.items.map((item, index) => (
    <li key={index} className={item.task ? 'task-item' : undefined}>
      {blocks(item.tokens)}
    </li>
  ));
  return token.ordered ? <ol start={Number(token.start) || 1}>{items}</ol> : <ul>{items}</ul>;
}

const alignOf = ({ align }: Tokens.TableCell) => (align ? { textAlign: align } : {});

function Table({ token }: { token: Tokens.Table }) {
  return (
    <table>
      <thead>
        <tr>
          {token.header.map((cell, i) => (
            <th key={i} style={alignOf(cell)}>
              {inline(cell.tokens)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {token.rows.map((row, i) => (
          <tr key={i}>
            {row.map((cell, j) => (
              <td key={j} style={alignOf(cell)}>
                {inline(cell.tokens)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Whether the fence has its end: what is still being written is no diagram yet. */
const isWhole = ({ raw }: Tokens.Code) => /\n\s*(?:`{3,}|~{3,})\s*$/.test(raw);

function CodeBlock({ token }: { token: Tokens.Code }) {
  const { text, lang } = token;
  const code = (
    <Code
      text={text}
      wrap={false}
      render={(shown) =>
        lang ? (
          <Suspense fallback={shown}>
            <Highlighted text={shown} language={lang} />
          </Suspense>
        ) : (
          shown
        )
      }
    />
  );
  if (lang !== 'mermaid' || !isWhole(token)) return code;
  return (
    <Suspense fallback={code}>
      <LazyDiagram text={text} />
    </Suspense>
  );
}

function blocks(tokens: Token[]): ReactNode[] {
  return tokens.map((token, index) => {
    const key = `${index}${token.type}`;
    switch (token.type) {
      case 'heading': {
        const Level = `h${Math.min(4, (token as Tokens.Heading).depth + 1)}` as 'h2';
        return <Level key={key}>{inline(token.tokens)}</Level>;
      }
      case 'paragraph':
        return <p key={key}>{inline(token.tokens)}</p>;
      case 'code':
        return <CodeBlock key={key} token={token as Tokens.Code} />;
      case 'list':
        return <List key={key} token={token as Tokens.List} />;
      case 'table':
        return <Table key={key} token={token as Tokens.Table} />;
      case 'blockquote':
        return <blockquote key={key}>{blocks(token.tokens ?? [])}</blockquote>;
      case 'hr':
        return <hr key={key} />;
      case 'checkbox':
        return <Task key={key} checked={(token as Tokens.Checkbox).checked} />;
      case 'formula':
        return <Formula key={key} token={token as FormulaToken} />;
      case 'space':
        return null;
      case 'text':
        return <span key={key}>{token.tokens ? inline(token.tokens) : plain((token as Tokens.Text).text)}</span>;
      default:
        return <p key={key}>{plain(token.raw)}</p>;
    }
  });
}

export const Markdown = memo(function Markdown({ text, streaming = false }: { text: string; streaming?: boolean }) {
  return <div className={`markdown ${streaming ? 'caret' : ''}`}>{blocks(blockTokens(text))}</div>;
});

/** Only what stands within a line: emphasis, code, links. */
export const MarkdownLine = memo(function MarkdownLine({ text }: { text: string }) {
  return inline(inlineTokens(text));
});
