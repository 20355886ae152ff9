// One thread: its messages, which are read once they are shown, and the box to reply.
import { type FormEvent, useEffect, useState } from 'react';
import { isAway, type MessageDto, type MessagePriority, type MessageThreadDetailDto } from '../../../client/index.ts';
import { useDraft } from '../../base/draft.ts';
import { formatDate, namesOf, plural, t, words } from '../../base/i18n.ts';
import { goFromHere } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { Failure, Skeleton } from '../../ui/states.tsx';
import { say, sayError } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { Priority, priorities, titleOf } from './marks.tsx';

interface Props {
  id: number;
  identityId: number;
  news: number;
  onChange: () => void;
}

const step = 50;

export function Thread({ id, identityId, news, onChange }: Props) {
  const [limit, setLimit] = useState(step);
  const thread = useKept(
    useResource(`thread ${id} ${limit} ${news}`, () =>
      client.messages.thread({ params: { threadId: id }, query: { limit: Math.min(limit, 200) } }),
    ),
  );
  const unread = thread.data?.unreadCount ?? 0;
  useEffect(() => {
    if (unread > 0) client.messages.markMany({ body: { threadId: id } }).then(onChange, sayError);
  }, [unread, id, onChange]);
  // What is being answered stays while the server is away.
  if (thread.error && !(thread.data && isAway(thread.error)))
    return (
      <Failure error={thread.error} retry={thread.reload} back={{ href: '#/inbox', label: t('Go to the inbox') }} />
    );
  if (!thread.data) return <Skeleton />;
  const { data } = thread;
  const last = data.messages.at(-1);
  return (
    <section className="card" aria-label={titleOf(data)}>
      <Head thread={data} onChange={onChange} />
      <div className="card-body">
        {data.hasEarlier && limit < 200 && (
          <Button size="small" onClick={() => setLimit(limit + step)}>
            {t('Show earlier messages')}
          </Button>
        )}
        {data.messages.map((one) => (
          <Mail key={one.id} message={one} isMine={one.senderId === identityId} />
        ))}
      </div>
      {last && may('MessagesWrite') && <Reply threadId={id} to={last} onDone={onChange} />}
    </section>
  );
}

function Head({ thread, onChange }: { thread: MessageThreadDetailDto; onChange: () => void }) {
  const { busy, act } = useAction();
  const archive = async () => {
    const goOn = goFromHere();
    await client.messages.archive({ params: { threadId: thread.id }, body: { archived: !thread.archived } });
    say(thread.archived ? t('Moved to the inbox') : t('Archived'));
    onChange();
    goOn('/inbox');
  };
  return (
    <div className="card-head">
      <h2>{titleOf(thread)}</h2>
      <span className="row">
        <LinkButton href="#/inbox" size="small" icon="back">
          {t('All threads')}
        </LinkButton>
        {may('MessagesWrite') && (
          <Button size="small" disabled={busy} onClick={() => void act(archive)}>
            {thread.archived ? t('Unarchive') : t('Archive')}
          </Button>
        )}
      </span>
    </div>
  );
}

function Mail({ message, isMine }: { message: MessageDto; isMine: boolean }) {
  const read = message.recipients.filter(({ readAtUtc }) => readAtUtc !== null).length;
  return (
    <article className="mail">
      <div className="row wrap">
        <strong>{isMine ? t('You') : message.senderName}</strong>
        <Priority priority={message.priority} />
        {message.type !== 'Text' && <span className="tag">{words(message.type)}</span>}
        <span className="small muted">{formatDate(message.createdAtUtc)}</span>
      </div>
      <p className="mail-text">{message.content}</p>
      {isMine && (
        <span className="small muted">
          {plural(message.recipients.length, '{n} recipient', '{n} recipients')} · {t('read by {n}', { n: read })}
        </span>
      )}
    </article>
  );
}

function Reply({ threadId, to, onDone }: { threadId: number; to: MessageDto; onDone: () => void }) {
  const { text, write, clear } = useDraft(`reply.${threadId}`);
  const [priority, setPriority] = useState<MessagePriority>('Normal');
  const [replyToAll, setAll] = useState(true);
  const { busy, act } = useAction();
  const send = async () => {
    await client.messages.reply({ params: { id: to.id }, body: { content: text.trim(), priority, replyToAll } });
    clear();
    onDone();
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim()) void act(send);
  };
  return (
    <form className="card-body reply-box" onSubmit={submit}>
      <TextField label={t('Reply')} value={text} onChange={write} rows={3} />
      <div className="row wrap end">
        <SelectField label={t('Priority')} value={priority} onChange={setPriority} options={namesOf(priorities)} />
        <CheckField label={t('Reply to all')} checked={replyToAll} onChange={setAll} />
        <span className="grow" />
        <Button type="submit" kind="primary" icon="send" disabled={busy || !text.trim()}>
          {t('Send')}
        </Button>
      </div>
    </form>
  );
}
