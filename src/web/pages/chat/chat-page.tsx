// Chat: sessions beside, the conversation with its streaming reply, and what to say next.
import '../../styles/chat.css';
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useShortcuts } from '../../base/keys.ts';
import { go, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { type ChatInput, sayLater } from '../../state/chat.ts';
import { Empty } from '../../ui/states.tsx';
import type { PageProps } from '../page-props.ts';
import { type Choice, Choices } from './choices.tsx';
import { Composer } from './composer.tsx';
import { ConversationView } from './conversation-view.tsx';
import { SessionList } from './session-list.tsx';

export function ChatPage({ params }: PageProps) {
  const { path } = useLocation();
  const id = Number(params.id) || null;
  useShortcuts(may('ChatWrite') ? [{ keys: 'n', label: t('New chat'), run: () => go('/chat/new') }] : []);
  return (
    <div className="chat" data-open={path !== '/chat'}>
      {id === null && <h1 className="visually-hidden">{t('Chat')}</h1>}
      <SessionList id={id} />
      <div className="chat-main">{id === null ? <NewChat /> : <ConversationView key={id} id={id} />}</div>
    </div>
  );
}

/** A chat is made by its first message. */
function NewChat() {
  const [choice, setChoice] = useState<Choice>({ modelId: '', identityId: null });
  const begin = async (input: ChatInput) => {
    const { modelId, identityId } = choice;
    const body = { ...(modelId ? { modelId } : {}), ...(identityId === null ? {} : { identityId }) };
    const made = await client.chat.create({ body });
    sayLater(made.id, input);
    go(`/chat/${made.id}`);
  };
  return (
    <>
      <div className="chat-new">
        <Empty title={t('Chat with a model')}>{t('Replies stream, can use tools, and go on when you leave.')}</Empty>
      </div>
      {may('ChatWrite') && (
        <Composer draftKey="new" onSend={begin} autoFocus>
          <Choices choice={choice} onChange={(change) => setChoice({ ...choice, ...change })} />
        </Composer>
      )}
    </>
  );
}
