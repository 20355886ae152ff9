// What a commit would do now, what it stands against, and what of the archive was not read.
import type { ImportConflictDto, ImportRestoreDto, ImportReviewDto } from '../../../client/index.ts';
import { formatNumber, plural, t, words } from '../../base/i18n.ts';
import { FactGrid } from '../../ui/fact-grid.tsx';
import { type Column, Table } from '../../ui/table.tsx';

export function Reach({ review: { reach, skipped } }: { review: ImportReviewDto }) {
  const { memoryCount, knownMemoryCount, factCount, knownFactCount, conflictCount, conflicts, flaggedCount } = reach;
  const { restores, bindingRuleCount } = reach;
  const figures = [
    [t('New memories'), memoryCount],
    [t('Known memories'), knownMemoryCount],
    [t('New facts'), factCount],
    [t('Known facts'), knownFactCount],
    [t('Conflicts'), conflictCount],
    [t('Included with flags'), flaggedCount],
  ] as const;
  return (
    <section className="card" aria-label={t('What a commit would do')}>
      <div className="card-head">
        <h2>{t('What a commit would do')}</h2>
      </div>
      <div className="card-body stack">
        <FactGrid facts={figures.map(([name, value]) => [name, formatNumber(value)] as const)} />
        {restores.length > 0 && (
          <p>
            {t('This is an export of Rivulet. It can be restored as it was: {things}.', { things: thingsOf(restores) })}{' '}
            {bindingRuleCount > 0 && bindingText(bindingRuleCount)}
          </p>
        )}
        {conflicts.length > 0 && (
          <div className="stack tight">
            <h3>{t('Facts that the project knows otherwise')}</h3>
            <Table rows={conflicts} keyOf={({ itemId }) => itemId} columns={conflictColumns()} />
          </div>
        )}
        {skipped.length > 0 && (
          <details>
            <summary>{t('What was not read, and why')}</summary>
            <ul className="import-reached">
              {skipped.map(({ reason, count, examples }) => (
                <li key={reason}>
                  {formatNumber(count)} × {reason}
                  {examples.length > 0 && <div className="small muted">{examples.join(', ')}</div>}
                </li>
              ))}
            </ul>
          </details>
        )}
      </div>
    </section>
  );
}

/** How many things of which kinds, e.g. `3 memories` as `memory 3`. */
export const thingsOf = (restores: readonly ImportRestoreDto[]): string =>
  restores.map(({ kind, count }) => `${words(kind)} ${formatNumber(count)}`).join(', ');

export const bindingText = (count: number): string =>
  plural(count, '{n} rule would bind the identity at once.', '{n} rules would bind the identity at once.');

const conflictColumns = (): Column<ImportConflictDto>[] => [
  { head: t('Fact'), cell: ({ key }) => <strong>{key}</strong> },
  { head: t('Now'), cell: ({ currentValue }) => currentValue },
  { head: t('From the archive'), cell: ({ importedValue }) => importedValue },
];
