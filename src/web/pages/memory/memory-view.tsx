// One memory: what it says, what it is linked with, what became of it, and what may be done with it.
import { useState } from 'react';
import type { MemoryDetailDto } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { formatAgo, formatDate, plural, t } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Loaded } from '../../ui/states.tsx';
import { type TabItem, Tabs } from '../../ui/tabs.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { ForgetMemory } from './forget-memory.tsx';
import { History } from './history.tsx';
import { Links } from './links.tsx';
import { MemoryDialog } from './memory-dialog.tsx';
import { Similar } from './similar.tsx';
import { Marks } from './timeline.tsx';

interface Props {
  id: number;
  /** Whose list it is shown beside: another identity's is only read. */
  identityId: number;
  news: number;
  onChange: () => void;
}

type TabKey = 'links' | 'history' | 'similar';

export function MemoryView({ id, identityId, news, onChange }: Props) {
  // What is being forgotten is not looked up again.
  const [frozen, setFrozen] = useState<number | null>(null);
  // Who looks at the page is no agent that recalls it.
  const detail = useKept(
    useResource(`memory ${id}`, () => client.memories.get({ params: { id }, query: { countAccess: false } })),
  );
  useReloadOn(frozen ?? news, detail.reload);
  return (
    <section className="card memory-view" aria-label={t('Memory')}>
      <Loaded resource={detail}>
        {(memory) => (
          <Shown
            memory={memory}
            identityId={identityId}
            news={frozen ?? news}
            onChange={onChange}
            onForgetting={(is) => setFrozen(is ? news : null)}
          />
        )}
      </Loaded>
    </section>
  );
}

interface ShownProps {
  memory: MemoryDetailDto;
  identityId: number;
  news: number;
  onChange: () => void;
  onForgetting: (is: boolean) => void;
}

function Shown({ memory, identityId, news, onChange, onForgetting }: ShownProps) {
  const { query } = useLocation();
  const isOwn = memory.identityId === identityId && may('MemoriesWrite');
  const links = memory.linksFrom.length + memory.linksTo.length;
  const items: TabItem<TabKey>[] = [
    { key: 'links', label: t('Links'), count: links },
    { key: 'history', label: t('History') },
    { key: 'similar', label: t('Similar') },
  ];
  const tab = items.find(({ key }) => key === query.get('tab'))?.key ?? 'links';
  const excerpt = { ...memory, excerpt: memory.content, contentLength: memory.content.length };
  return (
    <>
      <div className="card-head">
        <h2 className="grow memory-name">{memory.title}</h2>
        <IconButton
          icon="close"
          label={t('Close the memory')}
          onClick={() => patchQuery({ memory: null, tab: null })}
        />
      </div>
      <div className="card-body stack">
        <Marks memory={excerpt} />
        <p className="memory-content">{memory.content}</p>
        <About memory={memory} />
        {isOwn && <Actions key={memory.id} memory={memory} onChange={onChange} onForgetting={onForgetting} />}
        <Tabs
          label={t('About the memory')}
          items={items}
          active={tab}
          onChange={(key) => patchQuery({ tab: key === 'links' ? null : key })}
        />
        {tab === 'links' && <Links memory={memory} isOwn={isOwn} onChange={onChange} />}
        {tab === 'history' && <History memory={memory} news={news} />}
        {tab === 'similar' && <Similar key={memory.id} memory={memory} isOwn={isOwn} news={news} onChange={onChange} />}
      </div>
    </>
  );
}

function About({ memory }: { memory: MemoryDetailDto }) {
  const now = useNow();
  const { createdAtUtc, accessCount, lastAccessedAtUtc, readByOthersCount, hasEmbedding } = memory;
  const said = [
    t('written {date}', { date: formatDate(createdAtUtc) }),
    plural(accessCount, 'read {n} time', 'read {n} times'),
    lastAccessedAtUtc && t('last {ago}', { ago: formatAgo(lastAccessedAtUtc, now) }),
    readByOthersCount > 0 && plural(readByOthersCount, '{n} time by others', '{n} times by others'),
    hasEmbedding ? t('found by words and by meaning') : t('found by words; by meaning soon'),
  ];
  return <p className="small muted">{said.filter(Boolean).join(' · ')}</p>;
}

type ActionsProps = Pick<ShownProps, 'memory' | 'onChange' | 'onForgetting'>;

function Actions({ memory, onChange, onForgetting }: ActionsProps) {
  const { busy, act } = useAction();
  const [asking, setAsking] = useState<'edit' | 'forget' | null>(null);
  const params = { id: memory.id };
  const archived = memory.archivedAtUtc === null;
  const archive = () =>
    act(() => client.memories.archive({ params, body: { archived } })).then((done) => {
      if (!done) return;
      say(archived ? t('Archived: it is no longer recalled') : t('Brought back: it is recalled again'));
      onChange();
    });
  const pin = () =>
    act(() => client.memories.patch({ params, body: { isPinned: !memory.isPinned } })).then(
      (done) => done && onChange(),
    );
  return (
    <div className="row wrap">
      <Button size="small" icon="edit" onClick={() => setAsking('edit')}>
        {t('Change')}
      </Button>
      <Button size="small" icon="flag" disabled={busy} pressed={memory.isPinned} onClick={() => void pin()}>
        {t('Pinned')}
      </Button>
      <Button size="small" disabled={busy} onClick={() => void archive()}>
        {archived ? t('Archive') : t('Bring back')}
      </Button>
      <Button size="small" kind="danger" onClick={() => setAsking('forget')}>
        {t('Forget')}
      </Button>
      {asking === 'edit' && (
        <MemoryDialog
          identityId={memory.identityId}
          memory={memory}
          onClose={() => setAsking(null)}
          onDone={onChange}
        />
      )}
      {asking === 'forget' && (
        <ForgetMemory memory={memory} onClose={() => setAsking(null)} onForgetting={onForgetting} onDone={onChange} />
      )}
    </div>
  );
}
