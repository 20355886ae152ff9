// What says nearly the same as a memory, to be merged into one.
import { useState } from 'react';
import type { MemoryDetailDto, MemoryListDto } from '../../../client/index.ts';
import { formatPercent, t } from '../../base/i18n.ts';
import { patchQuery } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Loaded } from '../../ui/states.tsx';
import { MergeDialog } from './merge-dialog.tsx';

interface Props {
  memory: MemoryDetailDto;
  isOwn: boolean;
  news: number;
  onChange: () => void;
}

/** A question may have so many characters. */
const longest = 1500;
/** Hits that match less than this, 0 to 1, say something else. */
const least = 0.3;

export function Similar({ memory, isOwn, news, onChange }: Props) {
  const [merging, setMerging] = useState<MemoryListDto | null>(null);
  const params = { identityId: memory.identityId };
  const q = `${memory.title} ${memory.content}`.slice(0, longest);
  const found = useKept(
    useResource(`similar ${memory.id} ${memory.updatedAtUtc}`, () =>
      client.memories.search({
        params,
        query: { q, limit: 9, minScore: least, linkExpansionDepth: 0, includeShared: false },
      }),
    ),
  );
  useReloadOn(news, found.reload);
  return (
    <Loaded resource={found} rows={3}>
      {({ results }) => {
        const others = results.filter((hit) => hit.memory.id !== memory.id);
        if (others.length === 0) return <p className="muted">{t('No other memory says something like it.')}</p>;
        return (
          <ul className="memory-list">
            {others.map(({ memory: one, semanticScore, keywordScore, snippet }) => (
              <li key={one.id} className="memory-twin">
                <button type="button" className="link" onClick={() => patchQuery({ memory: one.id })}>
                  {one.title}
                </button>
                <span className="muted small grow">{snippet || one.excerpt}</span>
                <span className="small num">
                  {t('{share} alike', { share: formatPercent(Math.max(semanticScore ?? 0, keywordScore ?? 0)) })}
                </span>
                {isOwn && (
                  <Button size="small" onClick={() => setMerging(one)}>
                    {t('Merge')}
                  </Button>
                )}
              </li>
            ))}
            {merging && (
              <MergeDialog memory={memory} other={merging} onClose={() => setMerging(null)} onDone={onChange} />
            )}
          </ul>
        );
      }}
    </Loaded>
  );
}
