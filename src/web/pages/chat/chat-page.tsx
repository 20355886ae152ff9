// Chat: sessions beside, the conversation with its streaming reply, and what to say next.
import '../../styles/chat.css';
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useShortcuts } from '../../base/keys.ts';
import { go, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { type ChatInput, sayLater } from '../../state/chat.ts';
import { openFolder } from '../../state/open-folders.ts';
import { Empty } from '../../ui/states.tsx';
import type { PageProps } from '../page-props.ts';
import { type Choice, Choices } from './choices.tsx';
import { Composer } from './composer.tsx';
import { ConversationView } from './conversation-view.tsx';
import { SessionList } from './session-list.tsx';

export function ChatPage({ params }: PageProps) {
  const { path } = useLocation();
  const id = Number(params.id) || null;
  const hasComposer = may('ChatWrite') && path !== '/chat';
  useShortcuts([
    ...(may('ChatWrite') ? [{ keys: 'n', label: t('New chat'), run: () => go('/chat/new') }] : []),
    { keys: 'j', label: t('Next chat'), run: () => move(1) },
    { keys: 'k', label: t('Chat before'), run: () => move(-1) },
    { keys: 's', label: t('Search chats'), run: () => focusOn('.chat-list input[type=search]') },
    ...(hasComposer ? [{ keys: 'm', label: t('Write a message'), run: () => focusOn('.composer textarea') }] : []),
  ]);
  return (
    <div className="chat" data-open={path !== '/chat'}>
      {id === null && <h1 className="visually-hidden">{t('Chat')}</h1>}
      <SessionList id={id} />
      <div className="chat-main">{id === null ? <NewChat /> : <ConversationView key={id} id={id} />}</div>
    </div>
  );
}

const focusOn = (selector: string) => document.querySelector<HTMLElement>(selector)?.focus();

/** Opens the chat after or before the one that is open, in the order of the list. */
function move(step: number) {
  const all = [...document.querySelectorAll<HTMLAnchorElement>('.chat-list li a')];
  const at = all.findIndex((one) => one.ariaCurrent === 'page');
  const next = at < 0 ? all.at(step > 0 ? 0 : -1) : all[at + step];
  next?.click();
  next?.scrollIntoView({ block: 'nearest' });
}

/** A chat is made by its first message. */
function NewChat() {
  const [choice, setChoice] = useState<Choice>({ modelId: '', identityId: null, hydrate: true, enabledTools: [] });
  const folder = useLocation().query.get('folder');
  const begin = async (input: ChatInput) => {
    const { modelId, identityId, hydrate } = choice;
    const body = { ...(modelId ? { modelId } : {}), ...(identityId === null ? {} : { identityId }), hydrate };
    const made = await client.chat.create({ body: { ...body, folder } });
    if (made.folder !== null) openFolder(made.folder);
    sayLater(made.id, input);
    go(`/chat/${made.id}`);
  };
  return (
    <>
      <div className="chat-new">
        <Empty title={t('Chat with a model')}>
          {t('Replies stream, can use tools, and go on when you leave.')}
          {folder && ` ${t('It goes into the folder {name}.', { name: folder })}`}
        </Empty>
      </div>
      {may('ChatWrite') && (
        <Composer draftKey="new" onSend={begin} autoFocus>
          <Choices choice={choice} sessionId={null} onChange={(change) => setChoice({ ...choice, ...change })} />
        </Composer>
      )}
    </>
  );
}
