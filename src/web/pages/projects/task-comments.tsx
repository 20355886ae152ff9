// What people and agents say of a task.
import type { FormEvent } from 'react';
import type { ProjectTaskDetailDto } from '../../../client/index.ts';
import { useDraft } from '../../base/draft.ts';
import { formatAgo, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { TextField } from '../../ui/field.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Loaded } from '../../ui/states.tsx';
import { useAction } from '../../ui/use-action.ts';

interface Props {
  task: ProjectTaskDetailDto;
  mayChange: boolean;
  news: number;
  onChange: () => void;
}

export function TaskComments({ task, mayChange, news, onChange }: Props) {
  const params = { id: task.id };
  const list = useKept(
    useResource(`comments of ${task.id}`, () =>
      client.tasks.comments({ params, query: { pageSize: 200, sort: 'createdAtUtc' } }),
    ),
  );
  useReloadOn(news, list.reload);
  const { text, write, clear } = useDraft(`comment.${task.id}`);
  const { busy, act } = useAction();
  const send = (event: FormEvent) => {
    event.preventDefault();
    void act(() => client.tasks.comment({ params, body: { content: text } })).then((done) => {
      if (!done) return;
      clear();
      list.reload();
      onChange();
    });
  };
  return (
    <section>
      <h3>{t('Comments')}</h3>
      <Loaded resource={list} rows={1}>
        {({ items }) => (
          <ol className="plain-list">
            {items.map((one) => (
              <li key={one.id} className="task-comment">
                <p className="small">
                  <strong>{one.authorName}</strong>{' '}
                  <span className="faint">{formatAgo(one.createdAtUtc, Date.now())}</span>
                </p>
                <Markdown text={one.content} />
              </li>
            ))}
          </ol>
        )}
      </Loaded>
      {mayChange && (
        <form className="stack tight" onSubmit={send}>
          <TextField
            label={t('Comment')}
            value={text}
            onChange={write}
            rows={3}
            hint={t('In Markdown; @name tells an identity of it.')}
          />
          <div>
            <button type="submit" className="btn" disabled={busy || text.trim() === ''}>
              {t('Send')}
            </button>
          </div>
        </form>
      )}
    </section>
  );
}
