// One conversation: the branch that is shown, the reply that streams, and the composer.
import { useEffect, useRef, useState } from 'react';
import type { ChatMessageDto, ChatSessionDetailDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { useVersion } from '../../base/store.ts';
import { client, may } from '../../state/app.ts';
import { branchTo, newestEnd, type Shown } from '../../state/branches.ts';
import { type ChatInput, type Conversation, openConversation, takeFirstWords } from '../../state/chat.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Failure, Skeleton } from '../../ui/states.tsx';
import { sayError } from '../../ui/toast.tsx';
import { ChatHead } from './chat-head.tsx';
import { Choices } from './choices.tsx';
import { Composer } from './composer.tsx';
import { MessageView, SentMessage } from './message-view.tsx';
import { StreamingReply } from './streaming-reply.tsx';

/** Opened when the view is there and closed when it goes. */
function useConversation(id: number): Conversation | null {
  const [conversation, setConversation] = useState<Conversation | null>(null);
  useEffect(() => {
    const opened = openConversation(id);
    setConversation(opened);
    const timer = setTimeout(() => {
      const first = takeFirstWords(id);
      if (first) opened.say(first).catch(sayError);
    });
    return () => {
      clearTimeout(timer);
      opened.close();
    };
  }, [id]);
  return conversation;
}

export function ConversationView({ id }: { id: number }) {
  const conversation = useConversation(id);
  return conversation ? <Talk conversation={conversation} /> : <Skeleton rows={8} />;
}

function Talk({ conversation }: { conversation: Conversation }) {
  useVersion(conversation);
  const { session, reply, error } = conversation;
  const [editing, setEditing] = useState<ChatMessageDto | null>(null);
  if (!session && error)
    return (
      <Failure isPage error={error} retry={conversation.reload} back={{ href: '#/chat', label: t('All chats') }} />
    );
  if (!session) return <Skeleton rows={8} />;
  const shown = branchTo(session.messages, conversation.end ?? session.activeMessageId);
  const last = shown.at(-1)?.message;
  const send = (input: ChatInput) => {
    const follows = editing ? (editing.parentMessageId ?? 0) : last?.id;
    setEditing(null);
    return conversation.say({ ...input, ...(follows === undefined ? {} : { parentMessageId: follows }) });
  };
  return (
    <>
      <ChatHead session={session} onChange={conversation.reload} />
      <Messages conversation={conversation} shown={shown} onEdit={setEditing} />
      {may('ChatWrite') && (
        <>
          {editing && (
            <div className="composer-note small">
              {t('An edit starts a new branch.')}
              <IconButton icon="close" label={t('Cancel the edit')} onClick={() => setEditing(null)} />
            </div>
          )}
          <Composer
            key={editing?.id ?? 'next'}
            draftKey={editing ? `${session.id}.${editing.id}` : String(session.id)}
            initial={editing?.content ?? ''}
            autoFocus={editing !== null}
            onSend={send}
            onStop={reply ? () => void conversation.stop().catch(sayError) : undefined}
          >
            <SessionChoices session={session} onChange={conversation.reload} />
          </Composer>
        </>
      )}
      <span className="visually-hidden" role="status">
        {reply ? t('The model is answering') : ''}
      </span>
    </>
  );
}

function SessionChoices({ session, onChange }: { session: ChatSessionDetailDto; onChange: () => void }) {
  const { id, modelId, identityId } = session;
  return (
    <Choices
      choice={{ modelId, identityId }}
      onChange={({ modelId: model, ...rest }) =>
        void client.chat
          .patch({ params: { id }, body: { ...rest, ...(model === undefined ? {} : { modelId: model || null }) } })
          .then(onChange, sayError)
      }
    />
  );
}

interface MessagesProps {
  conversation: Conversation;
  shown: readonly Shown[];
  onEdit: (message: ChatMessageDto) => void;
}

function Messages({ conversation, shown, onEdit }: MessagesProps) {
  const { session, reply, sent, error } = conversation;
  const log = useRef<HTMLDivElement>(null);
  const [pinned, setPinned] = useState(true);
  useEffect(() => {
    if (pinned && log.current) log.current.scrollTop = log.current.scrollHeight;
  });
  // What one says oneself is shown, wherever one was reading.
  const isSending = sent?.message !== undefined;
  useEffect(() => {
    if (isSending) setPinned(true);
  }, [isSending]);
  if (!session) return null;
  const say = (input: ChatInput) => void conversation.say(input).catch(sayError);
  // What streams stands in for the message that it writes, and a question that is on its way for itself.
  const kept = shown.filter(({ message }) => message.id !== reply?.message?.id);
  return (
    <div className="chat-log-box">
      <div
        className="chat-log"
        ref={log}
        role="log"
        aria-label={t('Messages')}
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keys
        tabIndex={0}
        onScroll={({ currentTarget: box }) => setPinned(box.scrollHeight - box.scrollTop - box.clientHeight < 60)}
      >
        <div>
          {kept.map(({ message, siblings }, index) => (
            <MessageView
              key={message.id}
              message={message}
              siblings={siblings}
              last={index === kept.length - 1 && reply === null}
              busy={reply !== null}
              onShow={(id) => conversation.show(newestEnd(session.messages, id))}
              onEdit={() => onEdit(message)}
              onRegenerate={() => say({ regenerateMessageId: message.id })}
              onContinue={() => say({ parentMessageId: message.id })}
              onRated={conversation.reload}
            />
          ))}
          {sent?.message && <SentMessage input={sent} />}
          {reply && <StreamingReply reply={reply} />}
          {error && (
            <p className="failure" role="alert">
              {error.message} {error.hint}
            </p>
          )}
        </div>
      </div>
      {!pinned && (
        <div className="to-end-row">
          <Button size="small" icon="down" onClick={() => setPinned(true)}>
            {t('Jump to the end')}
          </Button>
        </div>
      )}
    </div>
  );
}
