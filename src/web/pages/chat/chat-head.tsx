// What the chat is called, what it has used, and what can be done with it.
import { useState } from 'react';
import type { ChatSessionDetailDto } from '../../../client/index.ts';
import { lineWords } from '../../../markdown/tree.ts';
import { formatShort, t } from '../../base/i18n.ts';
import { currentLocation, goFromHere, href } from '../../base/router.ts';
import { useTitle } from '../../base/title.ts';
import { client, may } from '../../state/app.ts';
import { Confirm } from '../../ui/confirm.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { say, sayError } from '../../ui/toast.tsx';
import { NewRunDialog } from '../runs/new-run-dialog.tsx';
import { ShareDialog } from '../share-dialog.tsx';
import { ExportDialog } from './export-dialog.tsx';
import { goalOfChat } from './goal-of-chat.ts';
import { MoveDialog, TagsDialog } from './label-dialogs.tsx';
import { SettingsDialog } from './settings-dialog.tsx';

export function ChatHead({ session, onChange }: { session: ChatSessionDetailDto; onChange: () => void }) {
  useTitle(lineWords(session.title) || t('New chat'));
  const [asking, setAsking] = useState<'settings' | 'move' | 'tags' | 'run' | 'share' | 'export' | 'delete' | null>(
    null,
  );
  const params = { id: session.id };
  const change = (body: { isPinned?: boolean; archived?: boolean }) =>
    void client.chat.patch({ params, body }).then(onChange, sayError);
  const remove = async () => {
    const goOn = goFromHere();
    await client.chat.remove({ params });
    say(t('Deleted'));
    goOn('/chat');
  };
  return (
    <header className="chat-head">
      <a className="icon-btn chat-back" href="#/chat" aria-label={t('All chats')}>
        <Icon name="back" />
      </a>
      <h1 className="truncate grow">{lineWords(session.title) || t('New chat')}</h1>
      <Labels session={session} />
      {session.archived && <span className="tag">{t('Archived')}</span>}
      <span className="faint small num">{t('{n} tokens', { n: formatShort(session.totalTokens) })}</span>
      {may('ChatWrite') && (
        <Menu
          label={t('Chat actions')}
          items={[
            { label: t('Settings'), icon: 'tool', onSelect: () => setAsking('settings') },
            { label: t('Move to folder…'), icon: 'folder', onSelect: () => setAsking('move') },
            { label: t('Tags…'), icon: 'flag', onSelect: () => setAsking('tags') },
            ...(may('RunsWrite')
              ? [
                  { label: t('Turn into a run'), icon: 'runs' as const, onSelect: () => setAsking('run') },
                  { label: t('Share'), icon: 'external' as const, onSelect: () => setAsking('share') },
                ]
              : []),
            { label: t('Export'), icon: 'down', onSelect: () => setAsking('export') },
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
      {asking === 'move' && <MoveDialog session={session} onClose={() => setAsking(null)} onDone={onChange} />}
      {asking === 'tags' && <TagsDialog session={session} onClose={() => setAsking(null)} onDone={onChange} />}
      {asking === 'run' && (
        <NewRunDialog
          of={{
            name: `run-of-chat.${session.id}.${session.activeMessageId}`,
            goal: goalOfChat(session),
            modelId: session.modelId === 'auto' ? '' : session.modelId,
          }}
          onClose={() => setAsking(null)}
        />
      )}
      {asking === 'share' && <ShareDialog about={{ chatSessionId: session.id }} onClose={() => setAsking(null)} />}
      {asking === 'export' && <ExportDialog session={session} onClose={() => setAsking(null)} />}
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

/** Where it is filed. */
function Labels({ session: { folder, tags } }: { session: ChatSessionDetailDto }) {
  if (folder === null && tags.length === 0) return null;
  return (
    <span className="chat-labels">
      {folder !== null && (
        <span className="tag" title={t('Folder')}>
          <Icon name="folder" />
          {folder}
        </span>
      )}
      {tags.map((tag) => (
        <a key={tag} className="tag" href={href(currentLocation().path, { tag })}>
          {tag}
        </a>
      ))}
    </span>
  );
}
