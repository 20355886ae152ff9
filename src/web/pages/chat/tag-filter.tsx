// Tags above the list of chats: the one that is pressed narrows the list, and can be renamed or taken away.
import { useState } from 'react';
import type { ChatLabelDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { patchQuery } from '../../base/router.ts';
import { may } from '../../state/app.ts';
import { Icon } from '../../ui/icon.tsx';
import { Menu } from '../../ui/menu.tsx';
import { RemoveTag, RenameTag } from './label-dialogs.tsx';

/** Tags that are shown before one asks for all. */
const few = 6;

export function TagFilter({ tags, chosen }: { tags: readonly ChatLabelDto[]; chosen: string }) {
  const [showsAll, setShowsAll] = useState(false);
  const [asking, setAsking] = useState<'rename' | 'remove' | null>(null);
  const current = tags.find(({ name }) => name === chosen) ?? (chosen ? { name: chosen, count: 0 } : null);
  if (tags.length === 0 && !current) return null;
  const shown = showsAll ? tags : tags.slice(0, few);
  const all = current && !shown.some(({ name }) => name === chosen) ? [...shown, current] : shown;
  const close = () => setAsking(null);
  return (
    <fieldset className="chat-tags" aria-label={t('Tags')}>
      {all.map(({ name, count }) => (
        <button
          key={name}
          type="button"
          className="chip label-chip"
          aria-pressed={name === chosen}
          onClick={() => patchQuery({ tag: name === chosen ? null : name })}
        >
          <span className="truncate">{name}</span>
          <span className="num">{count}</span>
        </button>
      ))}
      {tags.length > few && (
        <button type="button" className="link small" aria-expanded={showsAll} onClick={() => setShowsAll(!showsAll)}>
          {showsAll ? t('Fewer') : t('{n} more', { n: tags.length - few })}
        </button>
      )}
      {current && may('ChatWrite') && (
        <Menu
          label={t('Actions of the tag {name}', { name: chosen })}
          items={[
            { label: t('Rename'), icon: 'edit', onSelect: () => setAsking('rename') },
            { label: t('Remove tag'), icon: 'close', danger: true, onSelect: () => setAsking('remove') },
          ]}
        >
          <Icon name="more" />
        </Menu>
      )}
      {asking === 'rename' && <RenameTag tag={chosen} onClose={close} />}
      {asking === 'remove' && <RemoveTag tag={chosen} count={current?.count ?? 0} onClose={close} />}
    </fieldset>
  );
}
