// The inbox of who is signed in: threads, messages that await a reply, search; live over the socket.
import '../../styles/inbox.css';
import { useState } from 'react';
import type { MessageThreadDto } from '../../../client/index.ts';
import { lineWords } from '../../../markdown/tree.ts';
import { useNow } from '../../base/clock.ts';
import { useCount } from '../../base/count.ts';
import { formatAgo, t } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { useStore } from '../../base/store.ts';
import { client, may, server } from '../../state/app.ts';
import { useNews } from '../../state/news.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { UrlChoice } from '../../ui/url-choice.tsx';
import { useAction } from '../../ui/use-action.ts';
import type { PageProps } from '../page-props.ts';
import { Broadcast } from './broadcast.tsx';
import { titleOf } from './marks.tsx';
import { NewMessage } from './new-message.tsx';
import { Hits, PendingReplies } from './other-lists.tsx';
import { Thread } from './thread.tsx';

const shows = ['all', 'unread', 'pending', 'archived'] as const;
type Show = (typeof shows)[number];
const names: Record<Show, string> = { all: 'All', unread: 'Unread', pending: 'Pending replies', archived: 'Archived' };

export function InboxPage({ params }: PageProps) {
  const identity = useStore(server)?.principal.identity;
  if (!identity)
    return (
      <Empty isPage title={t('No inbox')}>
        {t('Messages are sent between identities, and you act as none.')}
      </Empty>
    );
  return <Inbox identityId={identity.id} openId={Number(params.id) || null} />;
}

function Inbox({ identityId, openId }: { identityId: number; openId: number | null }) {
  const { query } = useLocation();
  const q = query.get('q') ?? '';
  const show = shows.find((one) => one === query.get('show')) ?? 'all';
  /** Grows with what somebody does here and with what comes over the socket: whatever is shown loads again. */
  const [changes, changed] = useCount();
  const news = changes + useNews(`inbox:${identityId}`);
  const [writing, setWriting] = useState<'message' | 'broadcast' | null>(null);
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Inbox')}</h1>
        {may('MessagesBroadcast') && <Button onClick={() => setWriting('broadcast')}>{t('Broadcast')}</Button>}
        {may('MessagesWrite') && (
          <Button kind="primary" icon="edit" onClick={() => setWriting('message')}>
            {t('New message')}
          </Button>
        )}
      </div>
      <Choice q={q} show={show} onChange={changed} />
      <div className="two" data-open={openId !== null}>
        <List q={q} show={show} news={news} openId={openId} />
        {openId === null ? (
          <Empty title={t('No thread selected')}>{t('Select a thread to read it and reply.')}</Empty>
        ) : (
          <Thread key={openId} id={openId} identityId={identityId} news={news} onChange={changed} />
        )}
      </div>
      {writing === 'message' && (
        <NewMessage identityId={identityId} onClose={() => setWriting(null)} onDone={changed} />
      )}
      {writing === 'broadcast' && <Broadcast onClose={() => setWriting(null)} onDone={changed} />}
    </div>
  );
}

function Choice({ q, show, onChange }: { q: string; show: Show; onChange: () => void }) {
  const { busy, act } = useAction();
  const readAll = () => client.messages.markMany({ body: { all: true } });
  return (
    <div className="filters">
      <SearchField label={t('Search messages')} q={q} onSearch={(text) => patchQuery({ q: text })} />
      <UrlChoice
        label={t('Which messages')}
        name="show"
        chosen={show}
        options={shows.map((one) => [one, t(names[one])] as const)}
      />
      <Button size="small" disabled={busy} onClick={() => void act(readAll).then(onChange)}>
        {t('Mark all as read')}
      </Button>
    </div>
  );
}

interface ListProps {
  q: string;
  show: Show;
  news: number;
  openId: number | null;
}

function List({ q, show, news, openId }: ListProps) {
  if (q) return <Hits q={q} openId={openId} />;
  if (show === 'pending') return <PendingReplies news={news} openId={openId} />;
  return <Threads show={show} news={news} openId={openId} />;
}

function Threads({ show, news, openId }: Omit<ListProps, 'q'>) {
  const now = useNow();
  const list = useKept(
    useResource(`threads ${show} ${news}`, () =>
      client.messages.threads({
        query: { pageSize: 100, ...(show === 'unread' ? { unreadOnly: true } : {}), archived: show === 'archived' },
      }),
    ),
  );
  return (
    <nav className="pick thread-list" aria-label={t('Threads')}>
      <Loaded resource={list}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('No threads')}>{t('Messages from people and agents appear here as they arrive.')}</Empty>
          ) : (
            items.map((one) => <ThreadLink key={one.id} thread={one} now={now} isOpen={one.id === openId} />)
          )
        }
      </Loaded>
    </nav>
  );
}

function ThreadLink({ thread, now, isOpen }: { thread: MessageThreadDto; now: number; isOpen: boolean }) {
  const { query } = useLocation();
  const rest = query.toString();
  return (
    <a
      href={`#/inbox/${thread.id}${rest ? `?${rest}` : ''}`}
      aria-current={isOpen ? 'true' : undefined}
      data-unread={thread.unreadCount > 0}
    >
      <span className="grow">
        <strong>{titleOf(thread)}</strong>
        <span className="excerpt">
          {thread.lastSenderName}: {lineWords(thread.lastMessageExcerpt ?? '')}
        </span>
      </span>
      <span className="row small muted nowrap">
        {thread.unreadCount > 0 && (
          <span className="badge">
            <span className="visually-hidden">{t('Unread:')} </span>
            {thread.unreadCount}
          </span>
        )}
        {formatAgo(thread.lastMessageAtUtc, now)}
      </span>
    </a>
  );
}
