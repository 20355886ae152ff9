// A task in full: what it says, what it waits for, its parts, its runs, and what people say of it.
import { useState } from 'react';
import type { ProjectTaskDetailDto, TaskStatus } from '../../../client/index.ts';
import { formatAgo, formatDate, namesOf, t } from '../../base/i18n.ts';
import { currentLocation, href } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Loaded } from '../../ui/states.tsx';
import { RunStatus, State } from '../../ui/status.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { NewTaskDialog } from './new-task.tsx';
import { TaskComments } from './task-comments.tsx';
import { Dependencies } from './task-dependencies.tsx';
import { EditTask } from './task-edit.tsx';

interface Props {
  id: number;
  mayChange: boolean;
  news: number;
  onClose: () => void;
  onChange: () => void;
}

export function TaskDrawer({ id, mayChange, news, onClose, onChange }: Props) {
  const task = useKept(useResource(`task ${id}`, () => client.tasks.get({ params: { id } })));
  useReloadOn(news, task.reload);
  const changed = () => {
    task.reload();
    onChange();
  };
  return (
    <Dialog title={task.data?.title ?? t('Task {id}', { id })} side onClose={onClose}>
      <Loaded resource={task}>
        {(one) => (
          <div className="stack task-detail">
            <Head task={one} mayChange={mayChange} onChange={changed} onGone={onClose} />
            {one.description && <Markdown text={one.description} />}
            {one.acceptanceCriteria && (
              <section>
                <h3>{t('Done when')}</h3>
                <Markdown text={one.acceptanceCriteria} />
              </section>
            )}
            <Subtasks task={one} mayChange={mayChange} onChange={changed} />
            <Dependencies task={one} mayChange={mayChange} onChange={changed} />
            <Runs task={one} />
            <TaskComments task={one} mayChange={mayChange} news={news} onChange={changed} />
          </div>
        )}
      </Loaded>
    </Dialog>
  );
}

const statuses: TaskStatus[] = ['Backlog', 'Todo', 'InProgress', 'Blocked', 'InReview', 'Done', 'Cancelled'];

interface HeadProps {
  task: ProjectTaskDetailDto;
  mayChange: boolean;
  onChange: () => void;
  onGone: () => void;
}

function Head({ task, mayChange, onChange, onGone }: HeadProps) {
  const { busy, act } = useAction();
  const [asked, setAsked] = useState<'delete' | 'edit' | null>(null);
  const params = { id: task.id };
  const move = (status: TaskStatus) =>
    void act(() => client.tasks.status({ params, body: { status } })).then((done) => done && onChange());
  const run = () =>
    void act(async () => {
      const { id } = await client.tasks.run({ params, body: { autoStart: true } });
      say(t('Run {id} works on it', { id }));
      onChange();
    });
  return (
    <>
      <p className="row wrap muted small">
        <State name={task.status} />
        <span>#{task.id}</span>
        {task.assigneeName && <span>{t('with {name}', { name: task.assigneeName })}</span>}
        {task.dueAtUtc && <span>{t('due {date}', { date: formatDate(task.dueAtUtc) })}</span>}
        <span>{t('priority {n}', { n: task.priority })}</span>
        <span>{t('changed {when}', { when: formatAgo(task.updatedAtUtc, Date.now()) })}</span>
        {task.statusReason && <span>{task.statusReason}</span>}
      </p>
      {mayChange && (
        <div className="row wrap">
          <SelectField label={t('Status')} value={task.status} onChange={move} options={namesOf(statuses)} />
          {may('RunsWrite') && (
            <Button icon="play" disabled={busy} onClick={run}>
              {t('Run it')}
            </Button>
          )}
          <Button icon="edit" onClick={() => setAsked('edit')}>
            {t('Edit')}
          </Button>
          <Button kind="danger" onClick={() => setAsked('delete')}>
            {t('Delete')}
          </Button>
        </div>
      )}
      {asked === 'edit' && <EditTask task={task} onClose={() => setAsked(null)} onDone={onChange} />}
      {asked === 'delete' && (
        <Confirm
          title={t('Delete the task {name}?', { name: task.title })}
          action={t('Delete')}
          onConfirm={async () => {
            await client.tasks.remove({ params });
            onChange();
            onGone();
          }}
          onClose={() => setAsked(null)}
        >
          <p>{t('Its subtasks, comments and dependencies go with it. Runs stay.')}</p>
        </Confirm>
      )}
    </>
  );
}

interface PartProps {
  task: ProjectTaskDetailDto;
  mayChange: boolean;
  onChange: () => void;
}

function Subtasks({ task, mayChange, onChange }: PartProps) {
  const [isNew, setNew] = useState(false);
  const { path, query } = currentLocation();
  return (
    <section>
      <div className="row">
        <h3 className="grow">{t('Subtasks')}</h3>
        {mayChange && (
          <Button size="small" icon="plus" onClick={() => setNew(true)}>
            {t('Add a subtask')}
          </Button>
        )}
      </div>
      <ul className="plain-list">
        {task.subtasks.map((one) => (
          <li key={one.id} className="row">
            <a className="grow" href={href(path, { ...Object.fromEntries(query), task: one.id })}>
              {one.title}
            </a>
            <State name={one.status} />
          </li>
        ))}
      </ul>
      {task.subtasks.length === 0 && <p className="muted small">{t('None')}</p>}
      {isNew && (
        <NewTaskDialog
          projectId={task.projectId}
          parentTaskId={task.id}
          onClose={() => setNew(false)}
          onDone={onChange}
        />
      )}
    </section>
  );
}

function Runs({ task }: { task: ProjectTaskDetailDto }) {
  if (task.recentRuns.length === 0) return null;
  return (
    <section>
      <h3>{t('Runs')}</h3>
      <ul className="plain-list">
        {task.recentRuns.map((run) => (
          <li key={run.id} className="row">
            <a className="grow truncate" href={href(`/runs/${run.id}`)}>
              #{run.id} {run.goal}
            </a>
            <RunStatus status={run.status} />
          </li>
        ))}
      </ul>
    </section>
  );
}
