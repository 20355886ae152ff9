// The memories of an identity: searched, filtered, read as a list or along time; the one that is open beside them.
import '../../styles/people.css';
import '../../styles/memory.css';
import { useState } from 'react';
import type { MemoryListDto } from '../../../client/index.ts';
import { useCount } from '../../base/count.ts';
import { plural, t } from '../../base/i18n.ts';
import { patchFromHere, patchQuery, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useNews } from '../../state/news.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { IdentityField, useChosenIdentity, useIdentities } from './chosen.tsx';
import { Duplicates } from './duplicates.tsx';
import { type Asked, askedIn, countOf, Filters } from './filters.tsx';
import { Found } from './found.tsx';
import { MemoryDialog } from './memory-dialog.tsx';
import { MemoryView } from './memory-view.tsx';
import { SectionLinks } from './section-links.tsx';
import { Timeline } from './timeline.tsx';

const pageSize = 30;
const mostHits = 50;

export function MemoryPage() {
  const identities = useIdentities();
  const chosen = useChosenIdentity(identities.data?.items);
  const [making, setMaking] = useState(false);
  const { query } = useLocation();
  const patch = patchFromHere();
  const open = Number(query.get('memory')) || null;
  const [made, countMade] = useCount();
  const topic = chosen === null ? null : `identity:${chosen}`;
  const news = made + useNews(topic, ({ type }) => type.startsWith('memory.'));
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Memory')}</h1>
        {chosen !== null && may('MemoriesWrite') && (
          <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
            {t('New memory')}
          </Button>
        )}
      </div>
      <SectionLinks />
      <div className="memory-bar">
        <IdentityField identities={identities.data?.items ?? []} chosen={chosen} />
      </div>
      {chosen !== null && <Explorer key={chosen} identityId={chosen} open={open} news={news} />}
      {making && chosen !== null && (
        <MemoryDialog
          identityId={chosen}
          onClose={() => setMaking(false)}
          onDone={(id) => {
            countMade();
            patch({ memory: id });
          }}
        />
      )}
    </div>
  );
}

interface ExplorerProps {
  identityId: number;
  open: number | null;
  /** Grows when one of the memories has changed. */
  news: number;
}

function Explorer({ identityId, open, news }: ExplorerProps) {
  const { query } = useLocation();
  const asked = askedIn(query);
  const q = query.get('q') ?? '';
  const twins = query.get('twins') !== null;
  const [changes, changed] = useCount();
  return (
    <>
      <div className="filters">
        <SearchField
          label={t('Search by words or meaning')}
          q={q}
          onSearch={(text) => patchQuery({ q: text, page: null, twins: null })}
        />
        <Filters asked={asked} searching={q !== ''} />
        <Button
          size="small"
          pressed={twins}
          onClick={() => patchQuery({ twins: twins ? null : '1', before: null, q: null, page: null })}
        >
          {t('Likely duplicates')}
        </Button>
      </div>
      <div className="memory-columns" data-open={open !== null}>
        {twins ? (
          <Duplicates identityId={identityId} news={news + changes} onChange={changed} />
        ) : q ? (
          <Hits identityId={identityId} q={q} asked={asked} open={open} news={news + changes} />
        ) : (
          <Listed identityId={identityId} asked={asked} open={open} news={news + changes} />
        )}
        {open !== null && <MemoryView id={open} identityId={identityId} news={news + changes} onChange={changed} />}
      </div>
    </>
  );
}

type ListProps = ExplorerProps & { asked: Asked };

const onlyGiven = (asked: Asked) => Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== null));

function Listed({ identityId, asked, open, news }: ListProps) {
  const { query } = useLocation();
  const page = pageIn(query);
  const params = { identityId };
  const which = onlyGiven(asked);
  const list = useKept(
    useResource(`memories ${identityId} ${page} ${JSON.stringify(which)}`, () =>
      client.memories.list({ params, query: { pageSize, page, ...which } }),
    ),
  );
  useReloadOn(news, list.reload);
  return (
    <Loaded resource={list}>
      {(found) =>
        found.items.length === 0 ? (
          <NothingListed isNarrowed={countOf(asked) > 0} />
        ) : (
          <section className="stack" aria-label={t('Memories')}>
            <p className="small muted num">{plural(found.totalCount, '{n} memory', '{n} memories')}</p>
            <Timeline memories={found.items} open={open} onOpen={show} />
            <UrlPages page={page} list={found} />
          </section>
        )
      }
    </Loaded>
  );
}

function NothingListed({ isNarrowed }: { isNarrowed: boolean }) {
  return isNarrowed ? (
    <Empty title={t('No memory matches')}>{t('Choose other filters, or search by words or meaning.')}</Empty>
  ) : (
    <Empty title={t('Nothing remembered yet')}>
      {t('Runs and chats of this identity remember what they learn; you can write the first memory yourself.')}
    </Empty>
  );
}

function Hits({ identityId, q, asked, open, news }: ListProps & { q: string }) {
  const { type, tag, projectId, provenance, isShared, fromUtc, toUtc, includeArchived } = asked;
  const which = onlyGiven({ tag, projectId, provenance, isShared, fromUtc, toUtc, includeArchived } as Asked);
  const types = type === null ? {} : { types: [type] };
  const found = useKept(
    useResource(`memory search ${identityId} ${q} ${JSON.stringify([which, types])}`, () =>
      client.memories.search({ params: { identityId }, query: { q, limit: mostHits, ...which, ...types } }),
    ),
  );
  useReloadOn(news, found.reload);
  return (
    <Loaded resource={found}>
      {(result) =>
        result.results.length === 0 ? (
          <Empty title={t('Nothing found')}>
            {t('Say it in other words, or take filters away: what means the same is found too.')}
          </Empty>
        ) : (
          <Found result={result} open={open} onOpen={show} />
        )
      }
    </Loaded>
  );
}

const show = ({ id }: Pick<MemoryListDto, 'id'>) => patchQuery({ memory: id });
