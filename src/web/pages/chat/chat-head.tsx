// What the chat is called, what it has used, and what can be done with it.
import { useState } from 'react';
import type { ChatSessionDetailDto } from '../../../client/index.ts';
import { lineWords } from '../../../markdown/tree.ts';
import { formatShort, t } from '../../base/i18n.ts';
import { go } from '../../base/router.ts';
import { useTitle } from '../../base/title.ts';
import { client, may } from '../../state/app.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { say, sayError } from '../../ui/toast.tsx';
import { ShareDialog } from '../share-dialog.tsx';
import { SettingsDialog } from './settings-dialog.tsx';

export function ChatHead({ session, onChange }: { session: ChatSessionDetailDto; onChange: () => void }) {
  useTitle(lineWords(session.title) || t('New chat'));
  const [asking, setAsking] = useState<'settings' | 'share' | 'delete' | null>(null);
  const params = { id: session.id };
  const change = (body: { isPinned?: boolean; archived?: boolean }) =>
    void client.chat.patch({ params, body }).then(onChange, sayError);
  const remove = () =>
    client.chat.remove({ params }).then(() => {
      say(t('Deleted'));
      go('/chat');
    });
  return (
    <header className="chat-head">
      <a className="icon-btn chat-back" href="#/chat" aria-label={t('All chats')}>
        <Icon name="back" />
      </a>
      <h1 className="truncate grow">{lineWords(session.title) || t('New chat')}</h1>
      {session.archived && <span className="tag">{t('Archived')}</span>}
      <span className="faint small num">{t('{n} tokens', { n: formatShort(session.totalTokens) })}</span>
      {may('ChatWrite') && (
        <Menu
          label={t('Chat actions')}
          items={[
            { label: t('Settings'), icon: 'tool', onSelect: () => setAsking('settings') },
            ...(may('RunsWrite')
              ? [{ label: t('Share'), icon: 'external' as const, onSelect: () => setAsking('share') }]
              : []),
            {
              label: session.isPinned ? t('Unpin') : t('Pin'),
              icon: 'flag',
              onSelect: () => change({ isPinned: !session.isPinned }),
            },
            {
              label: session.archived ? t('Unarchive') : t('Archive'),
              icon: 'folder',
              onSelect: () => change({ archived: !session.archived }),
            },
            { label: t('Delete'), icon: 'close', danger: true, onSelect: () => setAsking('delete') },
          ]}
        >
          <Icon name="more" />
        </Menu>
      )}
      {asking === 'settings' && <SettingsDialog session={session} onClose={() => setAsking(null)} onDone={onChange} />}
      {asking === 'share' && <ShareDialog about={{ chatSessionId: session.id }} onClose={() => setAsking(null)} />}
      {asking === 'delete' && (
        <Confirm
          title={t('Delete the chat {name}?', { name: lineWords(session.title) || t('New chat') })}
          action={t('Delete')}
          onConfirm={remove}
          onClose={() => setAsking(null)}
        >
          <p>{t('All of its messages go with it.')}</p>
        </Confirm>
      )}
    </header>
  );
}
