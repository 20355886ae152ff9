// The chats of this person by folder, pinned ones first: searched, narrowed to a tag, archived ones on demand.
import { t } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useNews } from '../../state/news.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { FolderGroup } from './folder-group.tsx';
import { folderTree } from './folder-tree.ts';
import { SessionItems } from './session-items.tsx';
import { TagFilter } from './tag-filter.tsx';

export function SessionList({ id }: { id: number | null }) {
  const { query } = useLocation();
  const [q, tag] = [query.get('q') ?? '', query.get('tag') ?? ''];
  const archived = query.get('archived') === '1';
  const news = useNews('chats', ({ type }) => type.startsWith('chat.session'));
  const labels = useKept(useResource(`chat labels ${archived}`, () => client.chat.labels({ query: { archived } })));
  useReloadOn(news, labels.reload);
  const folders = folderTree(labels.data?.folders ?? []);
  const list = { current: id, news };
  const isNarrowed = q !== '' || tag !== '';
  const none = isNarrowed || archived ? t('No chat matches.') : t('No chats yet.');
  return (
    <aside className="chat-list" aria-label={t('Chats')}>
      <div className="chat-list-head">
        <SearchField label={t('Search chats')} q={q} onSearch={(text) => patchQuery({ q: text })} />
        {may('ChatWrite') && (
          <LinkButton href="#/chat/new" icon="plus">
            {t('New')}
          </LinkButton>
        )}
      </div>
      <TagFilter tags={labels.data?.tags ?? []} chosen={tag} />
      <div className="chat-groups">
        {isNarrowed ? (
          <SessionItems which={{ archived, ...(q && { q }), ...(tag && { tag }) }} none={none} {...list} />
        ) : (
          <>
            {folders.length > 0 && (
              <ul>
                {folders.map((folder) => (
                  <FolderGroup key={folder.path} folder={folder} archived={archived} {...list} />
                ))}
              </ul>
            )}
            <SessionItems which={{ archived, folder: '' }} {...(folders.length === 0 && { none })} {...list} />
          </>
        )}
      </div>
      <div className="chat-list-foot row">
        <Button
          size="small"
          icon="folder"
          pressed={archived}
          onClick={() => patchQuery({ archived: archived ? null : 1 })}
        >
          {t('Archived')}
        </Button>
        <LinkButton href="#/chat/prompts" size="small" icon="file">
          {t('Prompts')}
        </LinkButton>
      </div>
    </aside>
  );
}
