// Chats as lines of the list: those of one folder, or those that were found.
import type { ChatSessionDto } from '../../../client/index.ts';
import { lineWords } from '../../../markdown/tree.ts';
import { useNow } from '../../base/clock.ts';
import { formatAgo, t } from '../../base/i18n.ts';
import { href, useLocation } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Icon } from '../../ui/icon.tsx';
import { Loaded } from '../../ui/states.tsx';

interface Which {
  archived: boolean;
  folder?: string;
  tag?: string;
  q?: string;
}

interface Props {
  which: Which;
  /** The chat that is open. */
  current: number | null;
  news: number;
  /** What is said where there is none. */
  none?: string;
}

export function SessionItems({ which, current, news, none }: Props) {
  const sessions = useKept(
    useResource(`chats ${JSON.stringify(which)}`, () => client.chat.list({ query: { pageSize: 100, ...which } })),
  );
  useReloadOn(news, sessions.reload);
  const isFound = which.folder === undefined;
  return (
    <Loaded resource={sessions}>
      {({ items }) => (
        <ul>
          {items.map((one) => (
            <SessionItem key={one.id} session={one} current={one.id === current} showFolder={isFound} />
          ))}
          {items.length === 0 && none && <li className="muted small chat-none">{none}</li>}
        </ul>
      )}
    </Loaded>
  );
}

interface ItemProps {
  session: ChatSessionDto;
  current: boolean;
  showFolder: boolean;
}

function SessionItem({ session, current, showFolder }: ItemProps) {
  const now = useNow();
  const { query } = useLocation();
  const kept = { q: query.get('q'), tag: query.get('tag'), archived: query.get('archived') };
  return (
    <li>
      <a href={href(`/chat/${session.id}`, kept)} aria-current={current ? 'page' : undefined}>
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
          {showFolder && session.folder !== null && ` · ${session.folder}`}
        </div>
        {session.tags.length > 0 && (
          <div className="chat-item-tags">
            {session.tags.map((tag) => (
              <span key={tag} className="tag">
                {tag}
              </span>
            ))}
          </div>
        )}
      </a>
    </li>
  );
}
