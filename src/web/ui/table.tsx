// A table from its columns: what each is called and what it shows of a row. On a phone each row is a card.
import type { ReactNode } from 'react';
import { t } from '../base/i18n.ts';

export interface Column<Row> {
  /** Empty where the cells are buttons. */
  head: string;
  /** Figures stand at the right, in numerals of equal width. */
  num?: boolean;
  className?: string;
  cell: (row: Row) => ReactNode;
}

interface TableProps<Row> {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string | number;
  className?: string;
}

export function Table<Row>({ columns, rows, keyOf, className = '' }: TableProps<Row>) {
  const classOf = ({ num, className: own = '' }: Column<Row>) => `${num ? 'num ' : ''}${own}`.trim();
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keys
    <section className={`table-scroll in-cards ${className}`} tabIndex={0} aria-label={columns[0]?.head}>
      <table className="table">
        <thead>
          <tr>
            {columns.map((column, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns have a place and nothing else
              <th key={index} className={classOf(column)}>
                {column.head || <span className="visually-hidden">{t('Actions')}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: columns have a place and nothing else
                <td key={index} className={classOf(column)} data-head={column.head}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
