// The chats of this person: searched, pinned ones first, archived ones on demand.
import { useEffect, useState } from 'react';
import type { ChatSessionDto } from '../../../client/index.ts';
import { lineWords } from '../../../markdown/tree.ts';
import { useNow } from '../../base/clock.ts';
import { formatAgo, t } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { useTopic } from '../../state/topic.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Loaded } from '../../ui/states.tsx';

/** How long typing must pause before it is searched for, ms. */
const typingMs = 250;

export function SessionList({ id }: { id: number | null }) {
  const { query } = useLocation();
  const q = query.get('q') ?? '';
  const archived = query.get('archived') === '1';
  const sessions = useKept(
    useResource(`chats ${archived} ${q}`, () =>
      client.chat.list({ query: { pageSize: 100, archived, ...(q ? { q } : {}) } }),
    ),
  );
  useTopic('chats', {
    onSnapshot: sessions.reload,
    onEvent: (event) => (event.type as string).startsWith('chat.session') && sessions.reload(),
  });
  const [text, setText] = useState(q);
  useEffect(() => {
    const timer = setTimeout(() => text !== q && patchQuery({ q: text }), typingMs);
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
          <LinkButton href="#/chat/new" icon="plus">
            {t('New')}
          </LinkButton>
        )}
      </div>
      <Loaded resource={sessions}>
        {({ items }) => (
          <ul>
            {[...items]
              .sort((a, b) => Number(b.isPinned) - Number(a.isPinned))
              .map((one) => (
                <SessionItem key={one.id} session={one} current={one.id === id} />
              ))}
            {items.length === 0 && (
              <li className="muted small chat-none">{q || archived ? t('No chat matches.') : t('No chats yet.')}</li>
            )}
          </ul>
        )}
      </Loaded>
      <div className="chat-list-foot">
        <Button
          size="small"
          icon="folder"
          pressed={archived}
          onClick={() => patchQuery({ archived: archived ? null : 1 })}
        >
          {t('Archived')}
        </Button>
      </div>
    </aside>
  );
}

function SessionItem({ session, current }: { session: ChatSessionDto; current: boolean }) {
  const now = useNow();
  const { query } = useLocation();
  const search = query.toString();
  return (
    <li>
      <a href={`#/chat/${session.id}${search ? `?${search}` : ''}`} aria-current={current ? 'page' : undefined}>
        <div className="row">
          <span className="truncate grow">{lineWords(session.title) || t('New chat')}</span>
          {session.isPinned && (
            <span className="faint" title={t('Pinned')}>
              <Icon name="flag" />
            </span>
          )}
        </div>
        <div className="small faint truncate">
          {session.generatingMessageId !== null ? t('answering…') : formatAgo(session.updatedAtUtc, now)}
          {session.modelId !== 'auto' && ` · ${session.modelId}`}
        </div>
      </a>
    </li>
  );
}
