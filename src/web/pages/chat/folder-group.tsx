// A folder in the list of chats: it opens and closes, and holds further folders and its chats.
import { useState } from 'react';
import { t } from '../../base/i18n.ts';
import { go } from '../../base/router.ts';
import { may } from '../../state/app.ts';
import { closeFolder, openFolder, useOpenFolders } from '../../state/open-folders.ts';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import type { Folder } from './folder-tree.ts';
import { RemoveFolder, RenameFolder } from './label-dialogs.tsx';
import { SessionItems } from './session-items.tsx';

interface Props {
  folder: Folder;
  archived: boolean;
  current: number | null;
  news: number;
}

export function FolderGroup({ folder, ...list }: Props) {
  const { path, name, own, all, below } = folder;
  const open = useOpenFolders().includes(path);
  const [asking, setAsking] = useState<'rename' | 'remove' | null>(null);
  const close = () => setAsking(null);
  return (
    <li>
      <div className="folder-row">
        <button
          type="button"
          className="folder-toggle"
          aria-expanded={open}
          onClick={() => (open ? closeFolder(path) : openFolder(path))}
        >
          <Icon name="chevron" />
          <Icon name="folder" />
          <span className="truncate grow">{name}</span>
          <span className="faint small num">{all}</span>
        </button>
        {may('ChatWrite') && (
          <Menu
            label={t('Actions of the folder {name}', { name: path })}
            items={[
              { label: t('New chat here'), icon: 'plus', onSelect: () => go('/chat/new', { folder: path }) },
              { label: t('Rename'), icon: 'edit', onSelect: () => setAsking('rename') },
              { label: t('Remove folder'), icon: 'close', danger: true, onSelect: () => setAsking('remove') },
            ]}
          >
            <Icon name="more" />
          </Menu>
        )}
      </div>
      {open && (
        <div className="folder-inside">
          {below.length > 0 && (
            <ul>
              {below.map((one) => (
                <FolderGroup key={one.path} folder={one} {...list} />
              ))}
            </ul>
          )}
          {own > 0 && (
            <SessionItems which={{ archived: list.archived, folder: path }} current={list.current} news={list.news} />
          )}
        </div>
      )}
      {asking === 'rename' && <RenameFolder path={path} onClose={close} />}
      {asking === 'remove' && <RemoveFolder path={path} count={all} onClose={close} />}
    </li>
  );
}
