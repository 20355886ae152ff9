// Notes, tasks and messages of a run.
import type { FormEvent } from 'react';
import type { TaskStatus } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { useDraft } from '../../base/draft.ts';
import { formatAgo, t, words } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useNews } from '../../state/news.ts';
import { useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Loaded } from '../../ui/states.tsx';
import { State } from '../../ui/status.tsx';
import { sayError } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';

/** Loads again at the events of this type on the run's topic. */
function useReloadOnType(runId: number, type: 'run.note' | 'run.task' | 'run.message', reload: () => void) {
  useReloadOn(
    useNews(`run:${runId}`, (event) => event.type === type),
    reload,
  );
}

export function TalkTab({ runId }: { runId: number }) {
  return (
    <div className="columns">
      <Notes runId={runId} />
      <Tasks runId={runId} />
      <Messages runId={runId} />
    </div>
  );
}

function Notes({ runId }: { runId: number }) {
  const now = useNow();
  const notes = useResource(`notes ${runId}`, () =>
    client.agentNotes.list({ params: { runId }, query: { pageSize: 200 } }),
  );
  useReloadOnType(runId, 'run.note', notes.reload);
  return (
    <section className="stack">
      <h2>{t('Notes')}</h2>
      <NoteForm runId={runId} onDone={notes.reload} />
      <Loaded resource={notes}>
        {({ items }) => (
          <ul className="stack">
            {items.map((note) => (
              <li key={note.id} className="card card-body">
                <div className="row small faint">
                  <span className="tag">{words(note.type)}</span>
                  {formatAgo(note.createdAtUtc, now)}
                </div>
                <Markdown text={note.content} />
              </li>
            ))}
            {items.length === 0 && <li className="muted">{t('No notes yet.')}</li>}
          </ul>
        )}
      </Loaded>
    </section>
  );
}

function Tasks({ runId }: { runId: number }) {
  const tasks = useResource(`tasks ${runId}`, () =>
    client.agentTasks.list({ params: { runId }, query: { pageSize: 200 } }),
  );
  useReloadOnType(runId, 'run.task', tasks.reload);
  return (
    <section className="stack">
      <h2>{t('Tasks')}</h2>
      <TaskForm runId={runId} onDone={tasks.reload} />
      <Loaded resource={tasks}>
        {({ items }) => (
          <ul className="stack tight">
            {items.map((task) => (
              <li key={task.id} className="row">
                <TaskBox id={task.id} status={task.status} title={task.title} onDone={tasks.reload} />
                <span className="grow">{task.title}</span>
                <State name={task.status} />
              </li>
            ))}
            {items.length === 0 && <li className="muted">{t('No tasks yet.')}</li>}
          </ul>
        )}
      </Loaded>
    </section>
  );
}

function Messages({ runId }: { runId: number }) {
  const now = useNow();
  const messages = useResource(`messages ${runId}`, () =>
    client.agentMessages.list({ params: { runId }, query: { pageSize: 200 } }),
  );
  useReloadOnType(runId, 'run.message', messages.reload);
  return (
    <section className="stack">
      <h2>{t('Messages')}</h2>
      <Loaded resource={messages}>
        {({ items }) => (
          <ul className="stack">
            {items.map((message) => (
              <li key={message.id} className="card card-body">
                <div className="row small faint">
                  <strong>{message.senderName}</strong>
                  {formatAgo(message.createdAtUtc, now)}
                </div>
                <Markdown text={message.content} />
              </li>
            ))}
            {items.length === 0 && <li className="muted">{t('No messages yet.')}</li>}
          </ul>
        )}
      </Loaded>
    </section>
  );
}

function TaskBox({ id, status, title, onDone }: { id: number; status: TaskStatus; title: string; onDone: () => void }) {
  const move = (next: TaskStatus) => client.agentTasks.patch({ params: { id }, body: { status: next } });
  const { act } = useAction();
  const toggle = async () => {
    if (status === 'Done') await move('InProgress');
    else {
      // A task must be at work before it can be done.
      if (status !== 'InProgress' && status !== 'InReview') await move('InProgress');
      await move('Done');
    }
    onDone();
  };
  return (
    <input
      type="checkbox"
      checked={status === 'Done'}
      aria-label={title}
      disabled={!may('RunsWrite') || status === 'Cancelled'}
      onChange={() => void act(toggle)}
    />
  );
}

function NoteForm({ runId, onDone }: { runId: number; onDone: () => void }) {
  const add = (content: string) =>
    client.agentNotes.create({ params: { runId }, body: { content, type: 'Operator' } }).then(onDone);
  return <OneLineForm draft={`note.${runId}`} label={t('New note')} placeholder={t('Write a note…')} onAdd={add} />;
}

function TaskForm({ runId, onDone }: { runId: number; onDone: () => void }) {
  const add = (title: string) => client.agentTasks.create({ params: { runId }, body: { title } }).then(onDone);
  return <OneLineForm draft={`task.${runId}`} label={t('New task')} placeholder={t('Add a task…')} onAdd={add} />;
}

interface OneLineProps {
  /** What is written is kept under this name until it is added. */
  draft: string;
  label: string;
  placeholder: string;
  onAdd: (text: string) => Promise<void>;
}

function OneLineForm({ draft, label, placeholder, onAdd }: OneLineProps) {
  const { text, write, clear } = useDraft(draft);
  if (!may('RunsWrite')) return null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim()) onAdd(text.trim()).then(clear, sayError);
  };
  return (
    <form className="row" onSubmit={submit}>
      <input
        className="input"
        value={text}
        aria-label={label}
        placeholder={placeholder}
        onChange={(event) => write(event.target.value)}
      />
      <Button type="submit" disabled={!text.trim()}>
        {t('Add')}
      </Button>
    </form>
  );
}
