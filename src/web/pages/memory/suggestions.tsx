// What chats propose to remember of the reader: accepted as it is, accepted in other words, or rejected.
import type { MemoryVisibility, PersonalMemorySuggestionDto, SuggestionStatus } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { formatAgo, formatPercent, namesOf, t, words } from '../../base/i18n.ts';
import { useLocation } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { State } from '../../ui/status.tsx';
import { say } from '../../ui/toast.tsx';
import { UrlChoice } from '../../ui/url-choice.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useDraftRecord } from '../../ui/use-draft-record.ts';
import { visibilities, visibilityText } from './personal-words.ts';

const statuses: readonly SuggestionStatus[] = ['Pending', 'Accepted', 'Rejected', 'Expired'];

interface Props {
  news: number;
  onChange: () => void;
}

export function Suggestions({ news, onChange }: Props) {
  const { query } = useLocation();
  const status = statuses.find((one) => one === query.get('status')) ?? 'Pending';
  const page = pageIn(query);
  const list = useKept(
    useResource(`suggestions ${status} ${page}`, () =>
      client.personalMemories.suggestions({ query: { status, page, pageSize: 50 } }),
    ),
  );
  useReloadOn(news, list.reload);
  return (
    <>
      <UrlChoice label={t('Status')} name="status" chosen={status} options={namesOf(statuses)} />
      <Loaded resource={list}>
        {(found) =>
          found.items.length === 0 ? (
            <Empty title={status === 'Pending' ? t('No suggestions') : t('None of these')}>
              {t(
                'When a chat learns something that is worth keeping, it proposes it here. Nothing is kept unless you accept it.',
              )}
            </Empty>
          ) : (
            <>
              <ul className="stack" aria-label={t('Suggestions')}>
                {found.items.map((one) => (
                  <li key={one.id}>
                    <Suggestion one={one} onChange={onChange} />
                  </li>
                ))}
              </ul>
              <UrlPages page={page} list={found} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

function Suggestion({ one, onChange }: { one: PersonalMemorySuggestionDto; onChange: () => void }) {
  const now = useNow();
  const from = [
    one.sourceIdentityName && t('from {name}', { name: one.sourceIdentityName }),
    words(one.category),
    t('{share} sure', { share: formatPercent(one.confidence) }),
    formatAgo(one.createdAtUtc, now),
  ];
  return (
    <article className="card">
      <div className="card-body stack">
        <p className="small muted">
          {from.filter(Boolean).join(' · ')}{' '}
          {one.sourceChatSessionId !== null && <a href={`#/chat/${one.sourceChatSessionId}`}>{t('Open the chat')}</a>}
        </p>
        {one.reason && <p className="small">{one.reason}</p>}
        {one.status === 'Pending' ? (
          <Decision one={one} onChange={onChange} />
        ) : (
          <>
            <p className="memory-content">{one.content}</p>
            <State name={one.status} />
          </>
        )}
      </div>
    </article>
  );
}

function Decision({ one, onChange }: { one: PersonalMemorySuggestionDto; onChange: () => void }) {
  const initial = { content: one.content, visibility: 'AllMyIdentities' as MemoryVisibility };
  const { written, write, clear } = useDraftRecord(`suggestion.${one.id}`, initial);
  const { busy, act } = useAction();
  const isEdited = written.content.trim() !== one.content;
  const decide = (accept: boolean) => {
    const words = accept ? { visibility: written.visibility, ...(isEdited ? { content: written.content } : {}) } : {};
    void act(() => client.personalMemories.decide({ params: { id: one.id }, body: { accept, ...words } })).then(
      (done) => {
        if (!done) return;
        clear();
        say(accept ? t('Remembered') : t('Rejected: it is not kept'));
        onChange();
      },
    );
  };
  return (
    <>
      <TextField
        label={t('What would be remembered')}
        value={written.content}
        onChange={(content) => write({ content })}
        rows={2}
      />
      <div className="row wrap end">
        <SelectField
          label={t('Who sees it')}
          value={written.visibility}
          onChange={(visibility) => write({ visibility })}
          options={visibilities
            .filter((name) => name !== 'SelectedIdentities')
            .map((name) => [name, visibilityText(name)] as const)}
        />
        <Button
          kind="primary"
          icon="check"
          disabled={busy || written.content.trim() === ''}
          onClick={() => decide(true)}
        >
          {isEdited ? t('Accept as edited') : t('Accept')}
        </Button>
        <Button disabled={busy} onClick={() => decide(false)}>
          {t('Reject')}
        </Button>
      </div>
    </>
  );
}
