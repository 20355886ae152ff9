// Code and JSON: coloured, folded when long with a count of what is hidden, copied with one click.
import { type ReactNode, useState } from 'react';
import { plural, t } from '../base/i18n.ts';
import { writeClipboard } from '../base/platform.ts';
import { IconButton } from './button.tsx';
import { say } from './toast.tsx';

export function copyText(text: string) {
  void writeClipboard(text).then((copied) =>
    copied
      ? say(t('Copied'))
      : say(t('Not copied'), t('The browser does not allow it: select the text instead.'), 'warn'),
  );
}

const foldLines = 24;
const foldChars = 4000;

interface CodeProps {
  text: string;
  /** What it is, where the text alone does not say. */
  title?: string;
  wrap?: boolean;
  render?: (text: string) => ReactNode;
  /** Opens it beside the text that it is in. */
  onOpen?: (() => void) | null;
  /** Is not folded, however long it is. */
  whole?: boolean;
}

export function Code({ text, title = '', wrap = true, render, onOpen = null, whole = false }: CodeProps) {
  const [open, setOpen] = useState(false);
  const lines = text.split('\n');
  const long = !whole && (lines.length > foldLines + 6 || text.length > foldChars);
  const shown = open || !long ? text : lines.slice(0, foldLines).join('\n').slice(0, foldChars);
  const hidden = lines.length - shown.split('\n').length;
  return (
    <div className="code">
      {title && <span className="code-title">{title}</span>}
      {onOpen && <IconButton className="open-code" icon="panel" label={t('Open beside the chat')} onClick={onOpen} />}
      <IconButton className="copy" icon="copy" label={t('Copy')} onClick={() => copyText(text)} />
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions need keyboard access */}
      <pre data-wrap={wrap} tabIndex={0}>
        {render ? render(shown) : shown}
      </pre>
      {long && (
        <button type="button" className="more" onClick={() => setOpen(!open)}>
          {open
            ? t('Show less')
            : hidden > 0
              ? plural(hidden, 'Show {n} more line', 'Show {n} more lines')
              : plural(text.length - shown.length, 'Show {n} more character', 'Show {n} more characters')}
        </button>
      )}
    </div>
  );
}

const jsonToken = /("(?:\\.|[^"\\])*")(\s*:)?|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)|\b(true|false|null)\b/g;

/** Colours JSON text without parsing it, so that a cut-off text is fine too. */
function colorJson(text: string): ReactNode[] {
  const parts: ReactNode[] = [];
  let from = 0;
  for (const match of text.matchAll(jsonToken)) {
    if (match.index > from) parts.push(text.slice(from, match.index));
    const [whole, quoted, colon, number] = match;
    const kind = quoted ? (colon ? 'json-key' : 'json-string') : number ? 'json-number' : 'json-word';
    parts.push(
      <span key={match.index} className={kind}>
        {quoted ?? whole}
      </span>,
      colon ?? '',
    );
    from = match.index + whole.length;
  }
  parts.push(text.slice(from));
  return parts;
}

/** A value, or JSON text, laid out and coloured; text that is not JSON is shown as it is. */
export function Json({ value }: { value: unknown }) {
  let text: string;
  try {
    text = JSON.stringify(typeof value === 'string' ? JSON.parse(value) : value, null, 2);
  } catch {
    return <Code text={String(value)} />;
  }
  if (/^"/.test(text)) return <Code text={JSON.parse(text) as string} />;
  return <Code text={text} render={colorJson} />;
}

export function Copyable({ text, children }: { text: string; children?: ReactNode }) {
  return (
    <button type="button" className="copyable mono" title={t('Click to copy')} onClick={() => copyText(text)}>
      {children ?? text}
    </button>
  );
}
