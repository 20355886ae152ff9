// A JSON value as names and values to read: lists as lists, and only what is nested deeper as JSON.
import { t, words } from '../base/i18n.ts';
import { Code, Json } from './code.tsx';
import { listed } from './listed.ts';

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
}

const isLong = (text: string) => text.length > 120 || text.includes('\n');

function Value({ value }: { value: unknown }) {
  if (typeof value === 'string') return isLong(value) ? <Code text={value} /> : <span>{value || '–'}</span>;
  if (Array.isArray(value) && value.every((one) => typeof one === 'string'))
    return (
      <ol className="numbered-list">
        {value.map((one) => (
          <li key={one}>{one}</li>
        ))}
      </ol>
    );
  if (value === null || typeof value !== 'object')
    return <span className="num">{value === null ? '–' : String(value)}</span>;
  const items = listed(value);
  return items ? <Listed items={items} /> : <Json value={value} />;
}

/** Objects of a list: the first text of each is what it is, the others are told beside it. */
function Listed({ items }: { items: NonNullable<ReturnType<typeof listed>> }) {
  return (
    <ol className="numbered-list">
      {items.map(({ title, others }, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: items have a place and nothing else
        <li key={place}>
          {title}
          {others.map(([key, text]) => (
            <span key={key} className="muted small">
              {' · '}
              {nameOf(key)}: {/^[A-Za-z]+$/.test(text) ? words(text) : text}
            </span>
          ))}
        </li>
      ))}
    </ol>
  );
}

/** `exit_code` and `exitCode` are “Exit code”. */
const nameOf = (key: string) =>
  words(
    key.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()).replace(/^./, (first) => first.toUpperCase()),
  );

export function Fields({ json, none }: { json: string; none: string }) {
  const value = parse(json);
  if (Array.isArray(value) && value.length > 0) return <Value value={value} />;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return <Code text={typeof value === 'string' ? value : json || t('Nothing')} />;
  const entries = Object.entries(value);
  if (entries.length === 0) return <p className="muted">{none}</p>;
  return (
    <dl className="fields">
      {entries.map(([key, one]) => (
        <div key={key}>
          <dt>{nameOf(key)}</dt>
          <dd>
            <Value value={one} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
