// The mail of one connector: its folders, a list with search, the message that is open, and what is written or tested.
import '../../styles/inbox.css';
import '../../styles/mail.css';
import { useState } from 'react';
import type { ConnectorDto, EmailMessageDto, EmailMessageSummaryDto } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { useCount } from '../../base/count.ts';
import { formatAgo, t } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { useTitle } from '../../base/title.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { UrlChoice } from '../../ui/url-choice.tsx';
import type { PageProps } from '../page-props.ts';
import { MailMessage } from './mail-message.tsx';
import { MailTest } from './mail-test.tsx';
import { WriteMail } from './write-mail.tsx';

const inbox = 'INBOX';
const pageSize = 25;

export function MailPage({ params }: PageProps) {
  const id = Number(params.id);
  const connector = useKept(useResource(`connector ${id}`, () => client.connectors.get({ params: { id } })));
  const name = connector.data?.name;
  useTitle(name ? t('Mail of {name}', { name }) : t('Mail'));
  return (
    <div className="page">
      <Loaded resource={connector} back={{ href: '#/connectors', label: t('All connectors') }}>
        {(one) => <Mail connector={one} />}
      </Loaded>
    </div>
  );
}

function Mail({ connector }: { connector: ConnectorDto }) {
  const { id, name } = connector;
  const { query } = useLocation();
  const folder = query.get('folder') ?? inbox;
  const uid = query.get('uid');
  const [asking, setAsking] = useState<'mail' | 'test' | EmailMessageDto | null>(null);
  /** Counts what was read or sent here: the list and the folders load again. */
  const [done, changed] = useCount();
  const answered = asking !== null && typeof asking === 'object' ? asking : null;
  return (
    <>
      <div className="page-head">
        <h1>{t('Mail of {name}', { name })}</h1>
        {may('ConnectorsWrite') && (
          <div className="row wrap">
            <Button icon="refresh" onClick={() => setAsking('test')}>
              {t('Test')}
            </Button>
            <Button kind="primary" icon="edit" onClick={() => setAsking('mail')}>
              {t('Write')}
            </Button>
          </div>
        )}
      </div>
      <Choice id={id} folder={folder} done={done} />
      <div className="two" data-open={uid !== null}>
        <List id={id} folder={folder} openUid={uid} done={done} />
        {uid === null ? (
          <Empty title={t('No mail selected')}>{t('Select a mail to read it.')}</Empty>
        ) : (
          <MailMessage
            key={`${folder} ${uid}`}
            {...{ connectorId: id, folder, uid }}
            onRead={changed}
            onReply={setAsking}
          />
        )}
      </div>
      {asking === 'test' && <MailTest connectorId={id} onClose={() => setAsking(null)} />}
      {(asking === 'mail' || answered) && (
        <WriteMail connectorId={id} answered={answered} onClose={() => setAsking(null)} onDone={changed} />
      )}
    </>
  );
}

function Choice({ id, folder, done }: { id: number; folder: string; done: number }) {
  const { query } = useLocation();
  const folders = useKept(
    useResource(`mail folders ${id} ${done}`, () =>
      client.email.folders({ params: { connectorId: id }, query: { includeCounts: true } }),
    ),
  );
  const known = folders.data ?? [];
  const options = known.map(
    ({ path, unreadCount }) => [path, unreadCount > 0 ? `${path} (${unreadCount})` : path] as const,
  );
  return (
    <div className="filters">
      <SelectField
        label={t('Folder')}
        value={folder}
        onChange={(to) => patchQuery({ folder: to === inbox ? null : to, uid: null, page: null })}
        options={known.some(({ path }) => path === folder) ? options : [[folder, folder], ...options]}
      />
      <SearchField
        label={t('Search mail')}
        q={query.get('q') ?? ''}
        onSearch={(q) => patchQuery({ q: q || null, uid: null, page: null })}
      />
      <UrlChoice
        label={t('Which mails')}
        name="show"
        chosen={query.get('show') ?? ''}
        options={[
          ['', t('All')],
          ['unread', t('Unread')],
        ]}
      />
    </div>
  );
}

function List({ id, folder, openUid, done }: { id: number; folder: string; openUid: string | null; done: number }) {
  const { query } = useLocation();
  const now = useNow();
  const q = query.get('q') ?? '';
  const unreadOnly = query.get('show') === 'unread';
  const page = pageIn(query);
  const list = useKept(
    useResource(`mails ${id} ${folder} ${q} ${unreadOnly} ${page} ${done}`, () =>
      client.email.inbox({
        params: { connectorId: id },
        query: { folder, page, pageSize, ...(q && { q }), ...(unreadOnly && { unreadOnly }) },
      }),
    ),
  );
  return (
    <nav className="pick thread-list" aria-label={t('Mails')}>
      <Loaded resource={list}>
        {(found) =>
          found.items.length === 0 ? (
            <Empty title={q || unreadOnly ? t('No mail matches') : t('No mails')}>
              {q || unreadOnly ? t('Search for other words.') : t('What arrives in this folder is listed here.')}
            </Empty>
          ) : (
            <>
              {found.items.map((one) => (
                <MailLink key={one.uid} mail={one} now={now} isOpen={one.uid === openUid} query={query} />
              ))}
              <UrlPages page={page} list={found} />
            </>
          )
        }
      </Loaded>
    </nav>
  );
}

interface LinkProps {
  mail: EmailMessageSummaryDto;
  now: number;
  isOpen: boolean;
  query: URLSearchParams;
}

function MailLink({ mail, now, isOpen, query }: LinkProps) {
  const { path } = useLocation();
  const to = new URLSearchParams(query);
  to.set('uid', mail.uid);
  return (
    <a href={`#${path}?${to}`} aria-current={isOpen ? 'true' : undefined} data-unread={!mail.isRead}>
      <span className="grow">
        <strong>{mail.subject ?? t('(no subject)')}</strong>
        <span className="excerpt">{mail.fromName ?? mail.fromAddress}</span>
      </span>
      <span className="row small muted nowrap">
        {!mail.isRead && <span className="badge">{t('New')}</span>}
        {mail.hasAttachments && <span>{t('Files')}</span>}
        {formatAgo(mail.receivedAtUtc, now)}
      </span>
    </a>
  );
}
