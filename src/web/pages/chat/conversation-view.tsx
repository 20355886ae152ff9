// One conversation: its messages, the reply that streams, and the composer.
import { useEffect, useRef, useState } from 'react';
import { formatShort, t } from '../../base/i18n.ts';
import { go } from '../../base/router.ts';
import { useVersion } from '../../base/store.ts';
import { may } from '../../state/app.ts';
import { type Conversation, openConversation, type Reply } from '../../state/chat.ts';
import { chat } from '../../state/operations.ts';
import { Icon } from '../../ui/icon.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Menu } from '../../ui/menu.tsx';
import { Failure, Skeleton } from '../../ui/states.tsx';
import { sayError } from '../../ui/toast.tsx';
import { Composer } from './composer.tsx';
import { MessageView } from './message-view.tsx';
import { ToolCallView } from './tool-call-view.tsx';

/** Opened when the view is there and closed when it goes. */
function useConversation(id: number): Conversation | null {
  const [conversation, setConversation] = useState<Conversation | null>(null);
  useEffect(() => {
    const opened = openConversation(id);
    setConversation(opened);
    return () => opened.close();
  }, [id]);
  return conversation;
}

export function ConversationView({ id }: { id: number }) {
  const conversation = useConversation(id);
  return conversation ? <Talk id={id} conversation={conversation} /> : <Skeleton rows={8} />;
}

function Talk({ id, conversation }: { id: number; conversation: Conversation }) {
  useVersion(conversation);
  const { session, reply, said, error } = conversation;
  const log = useRef<HTMLDivElement>(null);
  const pinned = useRef(true);
  useEffect(() => {
    if (pinned.current && log.current) log.current.scrollTop = log.current.scrollHeight;
  });
  if (!session) return error ? <Failure error={error} retry={conversation.reload} /> : <Skeleton rows={8} />;
  const messages = session.messages.filter((message) => message.role !== 'tool' && message.role !== 'system');
  const rename = () => {
    const title = window.prompt(t('Title'), session.title);
    if (title) void chat.patch({ params: { id }, body: { title } }).then(conversation.reload, sayError);
  };
  const change = (body: Record<string, unknown>) =>
    void chat.patch({ params: { id }, body }).then(conversation.reload, sayError);
  const last = messages.at(-1);
  // The server may store the person's message before the reply ends; it is not shown twice.
  const waiting = said !== null && !(last?.role === 'user' && last.content === said) ? said : null;
  return (
    <>
      <header className="chat-head">
        <a className="icon-btn" href="#/chat" aria-label={t('All chats')}>
          <Icon name="back" />
        </a>
        <strong className="truncate grow">{session.title || t('New chat')}</strong>
        <span className="faint small num">{t('{n} tokens', { n: formatShort(session.totalTokens) })}</span>
        {may('ChatWrite') && (
          <Menu
            label={t('Chat actions')}
            items={[
              { label: t('Rename'), icon: 'file', onSelect: rename },
              {
                label: session.isPinned ? t('Unpin') : t('Pin'),
                icon: 'flag',
                onSelect: () => change({ isPinned: !session.isPinned }),
              },
              {
                label: t('Archive'),
                icon: 'folder',
                onSelect: () => {
                  change({ archived: true });
                  go('/chat');
                },
              },
              {
                label: t('Delete'),
                icon: 'close',
                danger: true,
                onSelect: () => void chat.remove({ params: { id } }).then(() => go('/chat'), sayError),
              },
            ]}
          >
            <Icon name="more" />
          </Menu>
        )}
      </header>
      <div
        className="chat-log"
        ref={log}
        role="log"
        aria-label={t('Messages')}
        onScroll={({ currentTarget: box }) => {
          pinned.current = box.scrollHeight - box.scrollTop - box.clientHeight < 60;
        }}
      >
        <div>
          {messages.map((message, index) => (
            <MessageView
              key={message.id}
              message={message}
              last={index === messages.length - 1 && !reply}
              onRegenerate={() => void conversation.say({ regenerateMessageId: message.id }).catch(sayError)}
            />
          ))}
          {waiting !== null && (
            <div className="message" data-role="user">
              <div className="bubble">
                <Markdown text={waiting} />
              </div>
            </div>
          )}
          {reply && <StreamingReply reply={reply} />}
          {error && (
            <p className="failure" role="alert">
              {error.message} {error.hint}
            </p>
          )}
        </div>
      </div>
      {may('ChatWrite') && <Composer conversation={conversation} session={session} />}
      <span className="visually-hidden" role="status">
        {reply ? t('The model is answering') : ''}
      </span>
    </>
  );
}

function StreamingReply({ reply }: { reply: Reply }) {
  const [open, setOpen] = useState(false);
  return (
    <div className="message" data-role="assistant" data-streaming="true">
      {reply.reasoning && (
        <div className="reasoning">
          <button type="button" className="link small" aria-expanded={open} onClick={() => setOpen(!open)}>
            {reply.text ? t('Thought') : t('Thinking…')}
          </button>
          <p className={`reasoning-text ${open ? '' : 'tail'}`}>
            {open ? reply.reasoning : reply.reasoning.slice(-240)}
          </p>
        </div>
      )}
      {reply.tools.map((call) => (
        <ToolCallView key={call.id} call={call} />
      ))}
      <Markdown text={reply.text || ' '} streaming />
    </div>
  );
}
