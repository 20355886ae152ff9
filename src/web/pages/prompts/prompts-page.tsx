// The library of prompts: found by words, one's own or shared, made, changed and deleted.
import '../../styles/prompts.css';
import type { PromptListDto } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { formatAgo, formatNumber, t } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { UrlChoice } from '../../ui/url-choice.tsx';
import { NewPrompt, OpenPrompt } from './prompt-dialog.tsx';

export function PromptsPage() {
  const { query } = useLocation();
  const q = query.get('q') ?? '';
  const whose = [
    ['', t('All')],
    ['private', t('Private')],
    ['shared', t('Shared')],
  ] as const;
  const of = whose.find(([key]) => key === query.get('whose'))?.[0] ?? '';
  const page = pageIn(query);
  const list = useKept(
    useResource(`prompts ${q} ${of} ${page}`, () =>
      client.prompts.list({
        query: { page, pageSize: 50, ...(q ? { q } : {}), ...(of ? { isShared: of === 'shared' } : {}) },
      }),
    ),
  );
  const now = useNow();
  const open = query.get('prompt');
  const close = () => patchQuery({ prompt: null });
  const isNarrowed = q !== '' || of !== '';
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Prompts')}</h1>
        <LinkButton href="#/chat" icon="chat">
          {t('Chats')}
        </LinkButton>
        {may('ChatWrite') && (
          <Button kind="primary" icon="plus" onClick={() => patchQuery({ prompt: 'new' })}>
            {t('New prompt')}
          </Button>
        )}
      </div>
      <div className="filters">
        <SearchField label={t('Search prompts')} q={q} onSearch={(text) => patchQuery({ q: text, page: null })} />
        <UrlChoice label={t('Whose')} name="whose" chosen={of} options={whose} />
      </div>
      <Loaded resource={list}>
        {(found) =>
          found.items.length === 0 ? (
            <Empty title={isNarrowed ? t('No prompt matches') : t('No prompts yet')}>
              {isNarrowed
                ? t('Search for other words.')
                : t('Save what you write again and again: it is begun with / in a chat, and fills the goal of a run.')}
            </Empty>
          ) : (
            <>
              <Table rows={found.items} keyOf={({ id }) => id} columns={columns(now)} />
              <UrlPages page={page} list={found} />
            </>
          )
        }
      </Loaded>
      {open === 'new' && may('ChatWrite') && <NewPrompt onClose={close} onDone={list.reload} />}
      {Number(open) > 0 && <OpenPrompt id={Number(open)} onClose={close} onDone={list.reload} />}
    </div>
  );
}

const columns = (now: number): Column<PromptListDto>[] => [
  {
    head: t('Prompt'),
    className: 'wide',
    cell: ({ id, name, description, tags }) => (
      <>
        <div className="row wrap">
          <button type="button" className="link" onClick={() => patchQuery({ prompt: id })}>
            {name}
          </button>
          {tags.map((tag) => (
            <span key={tag} className="tag">
              {tag}
            </span>
          ))}
        </div>
        {description && <div className="small muted clamp">{description}</div>}
      </>
    ),
  },
  { head: t('Command'), className: 'mono', cell: ({ command }) => `/${command}` },
  {
    head: t('Whose'),
    cell: ({ isShared, isOwn, createdByName }) =>
      !isShared ? t('private') : isOwn ? t('yours, shared') : t('shared by {name}', { name: createdByName }),
  },
  { head: t('Used'), num: true, cell: ({ useCount }) => formatNumber(useCount) },
  { head: t('Changed'), className: 'small nowrap', cell: ({ updatedAtUtc }) => formatAgo(updatedAtUtc, now) },
];
