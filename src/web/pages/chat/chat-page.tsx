// Chat: sessions beside, the conversation with its streaming reply, and what to say next.
import { useEffect, useState } from 'react';
import type { Page } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { formatAgo, t } from '../../base/i18n.ts';
import { useShortcuts } from '../../base/keys.ts';
import { go, patchQuery, useLocation } from '../../base/router.ts';
import { may } from '../../state/app.ts';
import { chat } from '../../state/operations.ts';
import { type Resource, useResource } from '../../state/resource.ts';
import { useTopic } from '../../state/topic.ts';
import type { ChatSessionDto } from '../../state/wire/chat.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { sayError } from '../../ui/toast.tsx';
import type { PageProps } from '../registry.tsx';
import { ConversationView } from './conversation-view.tsx';

export function ChatPage({ params }: PageProps) {
  const id = Number(params.id) || null;
  const { query } = useLocation();
  const q = query.get('q') ?? '';
  const sessions = useResource(`chats ${q}`, () =>
    chat.list({ query: { pageSize: 100, archived: false, ...(q ? { q } : {}) } }),
  );
  useTopic('chats', {
    onSnapshot: sessions.reload,
    onEvent: (event) => (event.type as string).startsWith('chat.session') && sessions.reload(),
  });
  const create = () => chat.create({ body: {} }).then((made) => go(`/chat/${made.id}`), sayError);
  useShortcuts(may('ChatWrite') ? [{ keys: 'n', label: t('New chat'), run: () => void create() }] : []);
  return (
    <div className="chat" data-open={id !== null}>
      <SessionList sessions={sessions} id={id} q={q} onNew={() => void create()} />
      <div className="chat-main">
        {id === null ? (
          <Empty
            title={t('Talk with a model')}
            action={
              may('ChatWrite') ? (
                <Button kind="primary" icon="plus" onClick={() => void create()}>
                  {t('New chat')}
                </Button>
              ) : null
            }
          >
            {t('Replies stream, tools can be used, and a reply goes on when you leave.')}
          </Empty>
        ) : (
          <ConversationView key={id} id={id} />
        )}
      </div>
    </div>
  );
}

function SessionList({
  sessions,
  id,
  q,
  onNew,
}: {
  sessions: Resource<Page<ChatSessionDto>>;
  id: number | null;
  q: string;
  onNew: () => void;
}) {
  const now = useNow();
  const [text, setText] = useState(q);
  useEffect(() => {
    const timer = setTimeout(() => text !== q && patchQuery({ q: text }), 250);
    return () => clearTimeout(timer);
  }, [text, q]);
  return (
    <aside className="chat-list" aria-label={t('Chats')}>
      <div className="chat-list-head">
        <input
          className="input"
          type="search"
          aria-label={t('Search chats')}
          placeholder={t('Search chats…')}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        {may('ChatWrite') && (
          <Button icon="plus" onClick={onNew} tip={t('New chat')}>
            {t('New')}
          </Button>
        )}
      </div>
      <Loaded resource={sessions}>
        {({ items }) => (
          <ul>
            {[...items]
              .sort((a, b) => Number(b.isPinned) - Number(a.isPinned))
              .map((one) => (
                <li key={one.id}>
                  <a href={`#/chat/${one.id}`} aria-current={one.id === id ? 'page' : undefined}>
                    <div className="truncate">
                      {one.isPinned && '● '}
                      {one.title || t('New chat')}
                    </div>
                    <div className="small faint">
                      {formatAgo(one.updatedAtUtc, now)} · {one.modelId}
                    </div>
                  </a>
                </li>
              ))}
            {items.length === 0 && (
              <li className="muted small" style={{ padding: 10 }}>
                {t('No chats yet.')}
              </li>
            )}
          </ul>
        )}
      </Loaded>
    </aside>
  );
}
