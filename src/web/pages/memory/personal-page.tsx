// What the reader wants to be remembered, who may see it, and what chats propose to remember.
import '../../styles/people.css';
import '../../styles/memory.css';
import { useState } from 'react';
import type { MemoryVisibility, PersonalMemoryCategory, PersonalMemoryDto } from '../../../client/index.ts';
import { useCount } from '../../base/count.ts';
import { plural, t } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useNews } from '../../state/news.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type TabItem, Tabs } from '../../ui/tabs.tsx';
import { ForgetMany } from './forget-many.tsx';
import { PersonalDialog } from './personal-dialog.tsx';
import { PersonalTable } from './personal-table.tsx';
import { categories, visibilities } from './personal-words.ts';
import { SectionLinks } from './section-links.tsx';
import { Suggestions } from './suggestions.tsx';
import { anyOr } from './vocabulary.ts';

type TabKey = 'memories' | 'suggestions';
const pageSize = 50;

export function PersonalPage() {
  const { query } = useLocation();
  const [asking, setAsking] = useState<PersonalMemoryDto | 'new' | 'forget' | null>(null);
  const [changes, changed] = useCount();
  const news = changes + useNews('me', ({ type }) => type === 'suggestion.created');
  const pending = useKept(
    useResource('pending suggestions', () =>
      client.personalMemories.suggestions({ query: { status: 'Pending', pageSize: 1 } }),
    ),
  );
  useReloadOn(news, pending.reload);
  const items: TabItem<TabKey>[] = [
    { key: 'memories', label: t('Remembered') },
    { key: 'suggestions', label: t('Suggestions'), count: pending.data?.totalCount ?? null },
  ];
  const tab = items.find(({ key }) => key === query.get('tab'))?.key ?? 'memories';
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('About me')}</h1>
        <Button kind="danger" onClick={() => setAsking('forget')}>
          {t('Forget many')}
        </Button>
        <Button kind="primary" icon="plus" onClick={() => setAsking('new')}>
          {t('Remember this')}
        </Button>
      </div>
      <SectionLinks />
      <p className="muted">
        {t('Nobody else reads this page. An identity is told of a memory only if you let it see it.')}
      </p>
      <Tabs
        label={t('Parts of what is remembered')}
        items={items}
        active={tab}
        onChange={(key) => patchQuery({ tab: key === 'memories' ? null : key, page: null })}
      />
      {tab === 'memories' ? (
        <Remembered news={news} onOpen={setAsking} onChange={changed} />
      ) : (
        <Suggestions news={news} onChange={changed} />
      )}
      {asking === 'forget' && <ForgetMany onClose={() => setAsking(null)} onDone={changed} />}
      {asking !== null && asking !== 'forget' && (
        <PersonalDialog
          {...(asking === 'new' ? {} : { memory: asking })}
          onClose={() => setAsking(null)}
          onDone={changed}
        />
      )}
    </div>
  );
}

interface RememberedProps {
  news: number;
  onOpen: (memory: PersonalMemoryDto) => void;
  onChange: () => void;
}

function Remembered({ news, onOpen, onChange }: RememberedProps) {
  const { query } = useLocation();
  const q = query.get('q') ?? '';
  const category: PersonalMemoryCategory | null = categories.find((one) => one === query.get('category')) ?? null;
  const visibility: MemoryVisibility | null = visibilities.find((one) => one === query.get('visibility')) ?? null;
  const page = pageIn(query);
  const which = { ...(category ? { category } : {}), ...(visibility ? { visibility } : {}), ...(q ? { q } : {}) };
  const isNarrowed = Object.keys(which).length > 0;
  const list = useKept(
    useResource(`personal ${JSON.stringify(which)} ${page}`, () =>
      client.personalMemories.list({ query: { pageSize, page, ...which } }),
    ),
  );
  useReloadOn(news, list.reload);
  return (
    <>
      <div className="memory-bar">
        <SearchField label={t('Search')} q={q} onSearch={(text) => patchQuery({ q: text, page: null })} />
        <SelectField
          label={t('Category')}
          value={category ?? ''}
          onChange={(value) => patchQuery({ category: value, page: null })}
          options={anyOr(categories)}
        />
        <SelectField
          label={t('Who sees it')}
          value={visibility ?? ''}
          onChange={(value) => patchQuery({ visibility: value, page: null })}
          options={anyOr(visibilities)}
        />
      </div>
      <Loaded resource={list}>
        {(found) =>
          found.items.length === 0 ? (
            <Empty title={isNarrowed ? t('Nothing matches') : t('Nothing is remembered about you')}>
              {isNarrowed
                ? t('Search for other words, or look at all of it.')
                : t(
                    'Tell it yourself, or accept what chats suggest: how you like things, whom you work with, what to keep in mind.',
                  )}
            </Empty>
          ) : (
            <>
              <p className="small muted num">{plural(found.totalCount, '{n} memory', '{n} memories')}</p>
              <PersonalTable memories={found.items} onOpen={onOpen} onChange={onChange} />
              <UrlPages page={page} list={found} />
            </>
          )
        }
      </Loaded>
    </>
  );
}
