// The items of a context: what each is, why it is in it, what it takes; each can be left out to see the difference.
import type { HydrationReceiptDto } from '../../../client/index.ts';
import { formatNumber, t, words } from '../../base/i18n.ts';
import { type Column, Table } from '../../ui/table.tsx';

export type Item = HydrationReceiptDto['items'][number];
export type Removed = readonly { kind: string; id: number }[];

interface Props {
  items: readonly Item[];
  removed: Removed;
  /** What things are called, by kind and id, where that is known. */
  titles?: ReadonlyMap<string, string>;
  onToggle: (item: Item) => void;
}

export const titleKey = (kind: string, id: number) => `${kind} ${id}`;

const pages: Record<string, (id: number) => string> = {
  memory: (id) => `#/memory?memory=${id}`,
  rule: (id) => `#/memory/rules?rule=${id}`,
};

const leftOut: Record<string, string> = {
  Budget: 'over the budget',
  Duplicate: 'told already',
  Removed: 'left out',
};

const untitled: ReadonlyMap<string, string> = new Map();

export function Receipt({ items, removed, titles = untitled, onToggle }: Props) {
  const most = Math.max(...items.map(({ tokens }) => tokens), 1);
  return (
    <Table
      rows={items}
      keyOf={({ source, kind, id }) => `${source} ${kind} ${id}`}
      columns={columns(most, { removed, titles, onToggle })}
    />
  );
}

type Given = Required<Omit<Props, 'items'>>;

const columns = (most: number, { removed, titles, onToggle }: Given): Column<Item>[] => [
  {
    head: t('Told'),
    cell: (item) => {
      const isOut = removed.some(({ kind, id }) => kind === item.kind && id === item.id);
      return item.leftOut !== null ? (
        <span className="small muted">{t(leftOut[item.leftOut] ?? item.leftOut)}</span>
      ) : (
        <input
          type="checkbox"
          aria-label={t('Tell {kind} {id}', { kind: item.kind, id: item.id })}
          checked={!isOut}
          onChange={() => onToggle(item)}
        />
      );
    },
  },
  {
    head: t('Item'),
    className: 'wide',
    cell: ({ source, kind, id, why }) => {
      const page = pages[kind]?.(id);
      const title = titles.get(titleKey(kind, id));
      const name = title ?? words(source);
      return (
        <>
          <div>{page ? <a href={page}>{name}</a> : name}</div>
          <div className="small muted">{[title && words(source), why].filter(Boolean).join(' · ')}</div>
        </>
      );
    },
  },
  {
    head: t('Tokens'),
    cell: ({ tokens }) => (
      <span className="row num">
        <progress value={tokens} max={most} aria-label={t('Tokens')} />
        {formatNumber(tokens)}
      </span>
    ),
  },
];
