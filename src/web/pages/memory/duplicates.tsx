// Pairs of an identity's memories that say nearly the same, to be reviewed one by one.
import { useState } from 'react';
import type { MemoryDetailDto, MemoryDuplicates, MemoryListDto } from '../../../client/index.ts';
import { formatPercent, plural, t } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';
import { MergeDialog } from './merge-dialog.tsx';

interface Props {
  identityId: number;
  news: number;
  onChange: () => void;
}

type Pair = MemoryDuplicates['pairs'][number];

export function Duplicates({ identityId, news, onChange }: Props) {
  const { query } = useLocation();
  const before = Number(query.get('before')) || undefined;
  const found = useKept(
    useResource(`duplicates ${identityId} ${before ?? ''}`, () =>
      client.memories.duplicates({ params: { identityId }, query: { ...(before !== undefined && { before }) } }),
    ),
  );
  useReloadOn(news, found.reload);
  return (
    <section className="stack" aria-label={t('Likely duplicates')}>
      <Loaded resource={found} rows={3}>
        {({ pairs, compared, before: next }) => (
          <>
            <p className="small muted">
              {plural(
                compared,
                '{n} memory was compared with all others.',
                '{n} memories were compared with all others.',
              )}
            </p>
            {pairs.length === 0 && (
              <Empty title={t('No duplicates among these')}>
                {next === null ? t('That was the last of them.') : t('Older memories may have some.')}
              </Empty>
            )}
            <ul className="memory-list">
              {pairs.map((pair) => (
                <Twin key={`${pair.memory.id} ${pair.other.id}`} pair={pair} onChange={onChange} />
              ))}
            </ul>
            <div className="row">
              {before !== undefined && (
                <Button size="small" onClick={() => patchQuery({ before: null })}>
                  {t('Back to the newest')}
                </Button>
              )}
              {next !== null && (
                <Button size="small" onClick={() => patchQuery({ before: next })}>
                  {t('Compare older ones')}
                </Button>
              )}
            </div>
          </>
        )}
      </Loaded>
    </section>
  );
}

function Twin({ pair: { memory, other, alike }, onChange }: { pair: Pair; onChange: () => void }) {
  const [merging, setMerging] = useState<MemoryDetailDto | null>(null);
  const { busy, act } = useAction();
  const begin = () =>
    act(async () => {
      setMerging(await client.memories.get({ params: { id: memory.id }, query: { countAccess: false } }));
    });
  return (
    <li className="memory-twin">
      <span className="stack grow">
        {[memory, other].map((one: MemoryListDto) => (
          <span key={one.id}>
            <button type="button" className="link" onClick={() => patchQuery({ memory: one.id })}>
              {one.title}
            </button>{' '}
            <span className="muted small">{one.excerpt}</span>
          </span>
        ))}
      </span>
      <span className="small num">{t('{share} alike', { share: formatPercent(alike) })}</span>
      {may('MemoriesWrite') && (
        <Button size="small" disabled={busy} onClick={begin}>
          {t('Merge')}
        </Button>
      )}
      {merging && <MergeDialog memory={merging} other={other} onClose={() => setMerging(null)} onDone={onChange} />}
    </li>
  );
}
