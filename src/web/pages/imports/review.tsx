// The review of an import: what was read, searched and narrowed, and what of it is included.
import { useState } from 'react';
import type { ImportDto, ImportReviewDto } from '../../../client/index.ts';
import { formatNumber, plural, t } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { UrlChoice } from '../../ui/url-choice.tsx';
import { useAction } from '../../ui/use-action.ts';
import { ConversationDialog } from './conversation-dialog.tsx';
import { Conversations, type Deciding, Items } from './entries.tsx';
import { ItemDialog } from './item-dialog.tsx';
import { Reach } from './reach.tsx';

/** Entries of each kind that are shown at first, and at most. */
const first = 100;
const most = 5000;
const choices = ['all', 'included', 'left'] as const;

export function Review({ shown, news }: { shown: ImportDto; news: number }) {
  const { id, statusId } = shown;
  const { query } = useLocation();
  const choice = choices.find((one) => one === query.get('show')) ?? 'all';
  const which = {
    ...(query.get('q') && { q: query.get('q') ?? '' }),
    ...(choice !== 'all' && { approved: choice === 'included' }),
    ...(query.get('flagged') && { scrubFlaggedOnly: true }),
  };
  const [limit, setLimit] = useState(first);
  const review = useKept(
    useResource(`review ${id} ${statusId} ${limit} ${JSON.stringify(which)}`, () =>
      client.imports.review({ params: { id }, query: { ...which, limit } }),
    ),
  );
  useReloadOn(news, review.reload);
  const canDecide = statusId === 'ReadyForReview' && may('ImportData');
  return (
    <Loaded resource={review}>
      {(found) => (
        <>
          {statusId === 'ReadyForReview' && <Reach review={found} />}
          <Filters choice={choice} hasFlags={shown.scrubFlagCount > 0} />
          {canDecide && <All shown={shown} which={which} onDone={review.reload} />}
          <Found shown={shown} review={found} canDecide={canDecide} onDone={review.reload} />
          {Math.max(found.conversationCount, found.itemCount) > limit && (
            <More limit={limit} onMore={() => setLimit(Math.min(most, limit * 3))} />
          )}
        </>
      )}
    </Loaded>
  );
}

function Filters({ choice, hasFlags }: { choice: (typeof choices)[number]; hasFlags: boolean }) {
  const { query } = useLocation();
  const flagged = query.get('flagged') !== null;
  return (
    <div className="filters">
      <SearchField label={t('Search in the import')} q={query.get('q') ?? ''} onSearch={(q) => patchQuery({ q })} />
      <UrlChoice
        label={t('Included or not')}
        name="show"
        chosen={choice}
        options={[
          ['all', t('All')],
          ['included', t('Included')],
          ['left', t('Left out')],
        ]}
      />
      {(hasFlags || flagged) && (
        <Button size="small" icon="flag" pressed={flagged} onClick={() => patchQuery({ flagged: flagged ? null : 1 })}>
          {t('Flagged only')}
        </Button>
      )}
    </div>
  );
}

type Which = { q?: string; approved?: boolean; scrubFlaggedOnly?: boolean };

/** Includes or leaves out all, or all that the filters show. */
function All({ shown, which, onDone }: { shown: ImportDto; which: Which; onDone: () => void }) {
  const { busy, act } = useAction();
  const [asking, setAsking] = useState(false);
  const params = { id: shown.id };
  const isNarrowed = Object.keys(which).length > 0;
  const decide = async (approved: boolean) => {
    if (isNarrowed) {
      const { conversations, items } = await client.imports.review({ params, query: { ...which, limit: most } });
      const body = {
        conversations: conversations.map(({ id }) => ({ id, approved })),
        items: items.map(({ id }) => ({ id, approved })),
      };
      await client.imports.decide({ params, body });
    } else await client.imports.decide({ params, body: approved ? { approveAll: true } : { rejectAll: true } });
    onDone();
  };
  const include = () => (shown.scrubFlagCount > 0 ? setAsking(true) : void act(() => decide(true)));
  return (
    <div className="row wrap">
      <Button size="small" icon="check" disabled={busy} onClick={include}>
        {isNarrowed ? t('Include all shown') : t('Include all')}
      </Button>
      <Button size="small" icon="close" disabled={busy} onClick={() => void act(() => decide(false))}>
        {isNarrowed ? t('Leave out all shown') : t('Leave out all')}
      </Button>
      {asking && (
        <Confirm
          title={isNarrowed ? t('Include all shown, with their flags?') : t('Include all, with their flags?')}
          action={t('Include')}
          onConfirm={() => decide(true)}
          onClose={() => setAsking(false)}
        >
          <p>
            {plural(
              shown.scrubFlagCount,
              '{n} secret or personal datum was found in this import. A commit remembers texts as they are.',
              '{n} secrets and personal data were found in this import. A commit remembers texts as they are.',
            )}
          </p>
        </Confirm>
      )}
    </div>
  );
}

interface FoundProps {
  shown: ImportDto;
  review: ImportReviewDto;
  canDecide: boolean;
  onDone: () => void;
}

function Found({ shown, review, canDecide, onDone }: FoundProps) {
  const { conversations, items, conversationCount, itemCount, reach } = review;
  const [open, setOpen] = useState<{ conversation?: number; item?: number }>({});
  const close = () => setOpen({});
  const item = items.find(({ id }) => id === open.item);
  // After a commit all of it is known, by this very import.
  const known = (ids: readonly number[]) => new Set(shown.statusId === 'ReadyForReview' ? ids : []);
  const deciding: Deciding = { importId: shown.id, canDecide, onDone };
  const dialog = { ...deciding, onClose: close };
  if (conversations.length + items.length === 0)
    return <Empty title={t('Nothing matches')}>{t('Search for other words, or show all.')}</Empty>;
  return (
    <>
      {conversations.length > 0 && (
        <section className="stack tight" aria-label={t('Conversations')}>
          <h2>{plural(conversationCount, '{n} conversation', '{n} conversations')}</h2>
          <Conversations
            {...deciding}
            rows={conversations}
            known={known(reach.knownConversationIds)}
            onOpen={(conversation) => setOpen({ conversation })}
          />
        </section>
      )}
      {items.length > 0 && (
        <section className="stack tight" aria-label={t('Memories and facts')}>
          <h2>{t('Memories and facts: {n}', { n: formatNumber(itemCount) })}</h2>
          <Items {...deciding} rows={items} known={known(reach.knownItemIds)} onOpen={(id) => setOpen({ item: id })} />
        </section>
      )}
      {open.conversation !== undefined && <ConversationDialog {...dialog} id={open.conversation} />}
      {item && <ItemDialog {...dialog} item={item} />}
    </>
  );
}

function More({ limit, onMore }: { limit: number; onMore: () => void }) {
  if (limit >= most)
    return (
      <p className="muted">{t('Of each kind {n} are shown. Search to find others.', { n: formatNumber(most) })}</p>
    );
  return (
    <div>
      <Button onClick={onMore}>{t('Show more')}</Button>
    </div>
  );
}
