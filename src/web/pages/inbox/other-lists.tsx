// What else the inbox lists: messages that await a reply, and those that hold the words searched for.
import type { ReactNode } from 'react';
import { useNow } from '../../base/clock.ts';
import { formatAgo, t } from '../../base/i18n.ts';
import { useLocation } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Priority } from './marks.tsx';

interface LinkProps {
  threadId: number;
  isOpen: boolean;
  sender: string;
  at: string;
  children: ReactNode;
}

function MessageLink({ threadId, isOpen, sender, at, children }: LinkProps) {
  const now = useNow();
  const rest = useLocation().query.toString();
  return (
    <a href={`#/inbox/${threadId}${rest ? `?${rest}` : ''}`} aria-current={isOpen ? 'true' : undefined}>
      <span className="grow">
        <strong>{sender}</strong>
        <span className="excerpt">{children}</span>
      </span>
      <span className="small muted nowrap">{formatAgo(at, now)}</span>
    </a>
  );
}

export function PendingReplies({ news, openId }: { news: number; openId: number | null }) {
  const list = useKept(
    useResource(`pending replies ${news}`, () => client.messages.pendingReplies({ query: { pageSize: 100 } })),
  );
  return (
    <nav className="pick thread-list" aria-label={t('Pending replies')}>
      <Loaded resource={list}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('No pending replies')}>
              {t('Messages that ask for a reply stay here until you send one.')}
            </Empty>
          ) : (
            items.map((one) => (
              <MessageLink
                key={one.id}
                threadId={one.threadId}
                isOpen={one.threadId === openId}
                sender={one.senderName}
                at={one.createdAtUtc}
              >
                <Priority priority={one.priority} /> {one.content}
              </MessageLink>
            ))
          )
        }
      </Loaded>
    </nav>
  );
}

export function Hits({ q, openId }: { q: string; openId: number | null }) {
  const list = useKept(useResource(`messages ${q}`, () => client.messages.search({ query: { q, limit: 100 } })));
  return (
    <nav className="pick thread-list" aria-label={t('Search results')}>
      <Loaded resource={list}>
        {(hits) =>
          hits.length === 0 ? (
            <Empty title={t('No message matches')}>{t('All words must occur in the message.')}</Empty>
          ) : (
            hits.map(({ message, snippet }) => (
              <MessageLink
                key={message.id}
                threadId={message.threadId}
                isOpen={message.threadId === openId}
                sender={message.senderName}
                at={message.createdAtUtc}
              >
                {snippet}
              </MessageLink>
            ))
          )
        }
      </Loaded>
    </nav>
  );
}
