// One conversation: the branch that is shown, the reply that streams, and the composer.
import { useEffect, useRef, useState } from 'react';
import type { ChatMessageDto, ChatSessionDetailDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { useVersion } from '../../base/store.ts';
import { client, may } from '../../state/app.ts';
import { branchTo, newestEnd, type Shown } from '../../state/branches.ts';
import { type ChatInput, type Conversation, openConversation, takeFirstWords } from '../../state/chat.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { type OpenCode, OpenCodeContext } from '../../ui/open-code.ts';
import { Failure, Skeleton } from '../../ui/states.tsx';
import { sayError } from '../../ui/toast.tsx';
import { type Answer, ArtifactPanel, useArtifact, useOpenArtifact } from './artifact-panel.tsx';
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
  return conversation ? <Beside conversation={conversation} /> : <Skeleton rows={8} />;
}

/** The branch that is shown. */
const branchOf = ({ session, end }: Conversation): Shown[] =>
  session ? branchTo(session.messages, end ?? session.activeMessageId) : [];

/** What was answered on the branch that is shown, with what is being said. */
function answersOf(shown: readonly Shown[], reply: Conversation['reply']): Answer[] {
  const said = shown.flatMap(({ message: { id, role, content } }) =>
    role === 'assistant' && id !== reply?.message?.id ? [{ id, text: content }] : [],
  );
  return reply?.message ? [...said, { id: reply.message.id, text: reply.text }] : said;
}

/** The conversation, with what it has made beside it. */
function Beside({ conversation }: { conversation: Conversation }) {
  useVersion(conversation);
  const answers = answersOf(branchOf(conversation), conversation.reply);
  const openIn = useOpenArtifact(answers);
  const artifact = useArtifact(answers);
  return (
    <div className="chat-beside">
      <div className="chat-talk">
        <Talk conversation={conversation} openIn={openIn} />
      </div>
      {artifact && <ArtifactPanel shown={artifact} />}
    </div>
  );
}

function Talk({ conversation, openIn }: { conversation: Conversation } & Pick<MessagesProps, 'openIn'>) {
  const { session, reply, error } = conversation;
  const [editing, setEditing] = useState<ChatMessageDto | null>(null);
  if (!session && error)
    return (
      <Failure isPage error={error} retry={conversation.reload} back={{ href: '#/chat', label: t('All chats') }} />
    );
  if (!session) return <Skeleton rows={8} />;
  const shown = branchOf(conversation);
  const last = shown.at(-1)?.message;
  const send = (input: ChatInput) => {
    const follows = editing ? (editing.parentMessageId ?? 0) : last?.id;
    setEditing(null);
    return conversation.say({ ...input, ...(follows === undefined ? {} : { parentMessageId: follows }) });
  };
  return (
    <>
      <ChatHead session={session} onChange={conversation.reload} />
      <Messages conversation={conversation} shown={shown} onEdit={setEditing} openIn={openIn} />
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
  const { id, modelId, identityId, hydrate } = session;
  return (
    <Choices
      choice={{ modelId, identityId, hydrate, enabledTools: session.enabledTools ?? [] }}
      sessionId={id}
      onChange={({ modelId: model, enabledTools: tools, ...rest }) =>
        void client.chat
          .patch({
            params: { id },
            body: {
              ...rest,
              ...(tools === undefined ? {} : { enabledTools: [...tools] }),
              ...(model === undefined ? {} : { modelId: model || null }),
            },
          })
          .then(onChange, sayError)
      }
    />
  );
}

interface MessagesProps {
  conversation: Conversation;
  shown: readonly Shown[];
  onEdit: (message: ChatMessageDto) => void;
  /** What opens the code of a message beside the chat. */
  openIn: (messageId: number) => OpenCode;
}

function Messages({ conversation, shown, onEdit, openIn }: MessagesProps) {
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
        // An answer is read out once, when it stands among the messages.
        aria-live="polite"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keys
        tabIndex={0}
        onScroll={({ currentTarget: box }) => setPinned(box.scrollHeight - box.scrollTop - box.clientHeight < 60)}
      >
        <div>
          {kept.map(({ message, siblings }, index) => (
            <OpenCodeContext key={message.id} value={openIn(message.id)}>
              <MessageView
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
            </OpenCodeContext>
          ))}
          {sent?.message && <SentMessage input={sent} />}
          {reply && (
            <OpenCodeContext value={openIn(reply.message?.id ?? 0)}>
              <StreamingReply reply={reply} />
            </OpenCodeContext>
          )}
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
