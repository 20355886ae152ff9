// What a search has found, the best first, each with the reasons why.
import type { MemorySearchHit, MemorySearchResult } from '../../../client/index.ts';
import { formatPercent, plural, t } from '../../base/i18n.ts';
import { MemoryRow } from './timeline.tsx';

type Hit = MemorySearchHit;

interface Props {
  result: MemorySearchResult;
  open: number | null;
  onOpen: (memory: Hit['memory']) => void;
}

export function Found({ result, open, onOpen }: Props) {
  const { results, totalCandidates, embeddingCoverage, warning } = result;
  const titles = new Map(results.map(({ memory }) => [memory.id, memory.title]));
  const best = results[0]?.score ?? 1;
  return (
    <section className="stack" aria-label={t('What was found')}>
      <p className="small muted num" role="status">
        {t('{shown} of {all} that match', { shown: results.length, all: totalCandidates })}
        {embeddingCoverage < 100 &&
          ` · ${t('{share} can be found by meaning so far', { share: formatPercent(embeddingCoverage / 100) })}`}
      </p>
      {warning && (
        <p className="banner" data-tone="warn">
          {warning}
        </p>
      )}
      <ol className="memory-list">
        {results.map((hit) => (
          <li key={hit.memory.id} className="memory-hit">
            <MemoryRow memory={hit.memory} isOpen={hit.memory.id === open} onOpen={() => onOpen(hit.memory)}>
              {hit.snippet || hit.memory.excerpt}
            </MemoryRow>
            <Reasons
              hit={hit}
              best={best}
              via={hit.viaMemoryId === null ? null : (titles.get(hit.viaMemoryId) ?? null)}
            />
          </li>
        ))}
      </ol>
    </section>
  );
}

const factorNames: Record<Hit['factors'][number]['name'], string> = {
  Importance: 'importance',
  Recency: 'age',
  Use: 'use',
  SecondHand: 'second hand',
  Time: 'the time that was asked for',
  Superseded: 'superseded by a newer one',
};

const signed = (factor: number) => `${factor >= 1 ? '+' : '−'}${formatPercent(Math.abs(factor - 1))}`;

interface ReasonsProps {
  hit: Hit;
  best: number;
  via: string | null;
}

/** Words, meaning and links as bars of one length; what spoke for or against it besides. */
function Reasons({ hit, best, via }: ReasonsProps) {
  const { keywordScore, semanticScore, lentScore, factors, score, viaMemoryId } = hit;
  const bars: [string, number][] = [];
  if (keywordScore !== null) bars.push([t('Words'), keywordScore]);
  if (semanticScore !== null) bars.push([t('Meaning'), semanticScore]);
  if (lentScore !== null) bars.push([viaMemoryId === null ? t('Neighbours') : t('Link'), Math.min(1, lentScore)]);
  const others = factors.filter(({ value }) => Math.abs(value - 1) >= 0.005);
  return (
    <div className="memory-reasons small">
      {bars.map(([name, value]) => (
        <span key={name} className="reason">
          {name}
          <progress value={value} max={1} aria-label={name} />
          <span className="num">{formatPercent(value)}</span>
        </span>
      ))}
      {via && <span className="muted">{t('linked with “{title}”', { title: via })}</span>}
      <details>
        <summary>{plural(others.length, '{n} factor', '{n} factors')}</summary>
        <ul className="plain-list">
          {others.map(({ name, value }) => (
            <li key={name}>
              {t(factorNames[name])} <span className="num">{signed(value)}</span>
            </li>
          ))}
          <li>
            {t('together')} <span className="num">{formatPercent(score / best)}</span> {t('of the best hit')}
          </li>
        </ul>
      </details>
    </div>
  );
}
