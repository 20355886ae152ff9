// The board of a project: a column a status; tasks move by drag, and by Alt with the arrow keys.
import { type DragEvent, type KeyboardEvent, useLayoutEffect, useRef, useState } from 'react';
import type { ProjectDetailDto, ProjectTaskDto, TaskBoardDto, TaskStatus } from '../../../client/index.ts';
import { formatNumber, t, words } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Loaded } from '../../ui/states.tsx';
import { sayError } from '../../ui/toast.tsx';
import { moved, type Place, placeOf } from './moves.ts';
import { NewTaskDialog } from './new-task.tsx';
import { TaskCard } from './task-card.tsx';
import { TaskDrawer } from './task-drawer.tsx';

interface Props {
  project: ProjectDetailDto;
  news: number;
}

export function Board({ project, news }: Props) {
  const { query } = useLocation();
  const [isNew, setNew] = useState(false);
  const board = useKept(
    useResource(`board ${project.id}`, () =>
      client.tasks.board({ params: { projectId: project.id }, query: { perColumn: 200 } }),
    ),
  );
  useReloadOn(news, board.reload);
  const mayChange = may('TasksWrite') && project.callerRole !== 'Viewer' && project.status !== 'Archived';
  const open = Number(query.get('task')) || null;
  return (
    <>
      <div className="row wrap board-bar">
        {mayChange && (
          <Button kind="primary" icon="plus" onClick={() => setNew(true)}>
            {t('New task')}
          </Button>
        )}
        {board.data && board.data.overdueCount > 0 && (
          <span className="muted">{t('{n} overdue', { n: formatNumber(board.data.overdueCount) })}</span>
        )}
        {mayChange && (
          <span className="faint small grow">{t('Alt and the arrow keys move the task that has the focus.')}</span>
        )}
      </div>
      <Loaded resource={board}>
        {(one) => <Columns board={one} mayChange={mayChange} put={board.put} reload={board.reload} />}
      </Loaded>
      {isNew && <NewTaskDialog projectId={project.id} onClose={() => setNew(false)} onDone={board.reload} />}
      {open !== null && (
        <TaskDrawer
          key={open}
          id={open}
          mayChange={mayChange}
          news={news}
          onClose={() => patchQuery({ task: null })}
          onChange={board.reload}
        />
      )}
    </>
  );
}

interface ColumnsProps {
  board: TaskBoardDto;
  mayChange: boolean;
  put: (change: (board: TaskBoardDto) => TaskBoardDto) => void;
  reload: () => void;
}

interface Move {
  task: ProjectTaskDto;
  to: Place;
}

/** The board with the moves that the server still works on, and what moves a task on it. */
function useMoves({ board: stored, put, reload }: ColumnsProps, onRefused: (task: ProjectTaskDto) => void) {
  const [moves, setMoves] = useState<readonly Move[]>([]);
  const last = useRef<Promise<void>>(Promise.resolve());
  // Laid over each answer: one that was read before a move does not take it back.
  const board = moves.reduce((shown, { task, to }) => moved(shown, task, to), stored);
  const ask = async ({ task, to }: Move) => {
    const body = placeOf(board, task, to);
    if (task.status !== to.status) await client.tasks.status({ params: { id: task.id }, body: { status: to.status } });
    if (body) await client.tasks.move({ params: { id: task.id }, body });
  };
  const settle = async (move: Move) => {
    try {
      await ask(move);
      put((now) => moved(now, move.task, move.to));
    } catch (error) {
      onRefused(move.task);
      sayError(error);
    }
    setMoves((before) => before.filter((other) => other !== move));
    reload();
  };
  const move = (task: ProjectTaskDto, to: Place) => {
    const one = { task, to };
    setMoves((before) => [...before, one]);
    // One after the other, so that the last move is the one that holds.
    last.current = last.current.then(() => settle(one));
  };
  return { board, move };
}

function Columns(props: ColumnsProps) {
  const { mayChange } = props;
  const [dragged, setDragged] = useState<ProjectTaskDto | null>(null);
  const [over, setOver] = useState<Place | null>(null);
  const [said, setSaid] = useState('');
  const focusNext = useRef<number | null>(null);
  const { board, move: ask } = useMoves(props, (task) => {
    setSaid('');
    // The card goes back to where it was, and the focus with it.
    if (document.activeElement?.id === `task-${task.id}`) focusNext.current = task.id;
  });
  const move = (task: ProjectTaskDto, to: Place) => {
    ask(task, to);
    setSaid(
      t('{task} is now in {column}, place {n}.', { task: task.title, column: words(to.status), n: to.index + 1 }),
    );
  };
  // At once, not when the server has answered: by then the reader may be elsewhere.
  useLayoutEffect(() => {
    if (focusNext.current !== null) document.getElementById(`task-${focusNext.current}`)?.focus();
    focusNext.current = null;
  });
  const onKeyDown = (event: KeyboardEvent, task: ProjectTaskDto) => {
    if (!event.altKey || !mayChange) return;
    const to = byKey(board, task, event.key);
    if (!to) return;
    event.preventDefault();
    focusNext.current = task.id;
    move(task, to);
  };
  const endDrag = () => {
    setDragged(null);
    setOver(null);
  };
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keys */}
      <section className="board" aria-label={t('Board')} tabIndex={0}>
        {board.columns.map(({ status, tasks, count }) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: keys move tasks on the cards themselves
          <div
            key={status}
            className="board-column"
            data-over={over?.status === status}
            onDragOver={(event) => {
              if (!dragged) return;
              event.preventDefault();
              setOver({ status, index: indexUnder(event, tasks, dragged) });
            }}
            onDrop={(event) => {
              event.preventDefault();
              // The place is read from the drop itself: what the last move over the column set may not be drawn yet.
              if (dragged) move(dragged, { status, index: indexUnder(event, tasks, dragged) });
              endDrag();
            }}
          >
            <h2 className="board-head">
              {words(status)} <span className="faint">{formatNumber(count)}</span>
            </h2>
            <ul className="board-tasks" aria-label={words(status)}>
              {tasks.map((task, index) => (
                <li
                  key={task.id}
                  data-task={task.id}
                  data-before={over?.status === status && over.index === index}
                  draggable={mayChange}
                  onDragStart={() => setDragged(task)}
                  onDragEnd={endDrag}
                >
                  <TaskCard task={task} onKeyDown={(event) => onKeyDown(event, task)} />
                </li>
              ))}
            </ul>
          </div>
        ))}
      </section>
      <div className="visually-hidden" role="status">
        {said}
      </div>
    </>
  );
}

/** The place among the tasks of a column that the pointer is over; the dragged one does not count. */
function indexUnder(event: DragEvent<HTMLElement>, tasks: readonly ProjectTaskDto[], dragged: ProjectTaskDto): number {
  const others = tasks.filter(({ id }) => id !== dragged.id);
  const below = others.findIndex(({ id }) => {
    const box = event.currentTarget.querySelector(`[data-task="${id}"]`)?.getBoundingClientRect();
    return box !== undefined && event.clientY < box.top + box.height / 2;
  });
  return below === -1 ? others.length : below;
}

/** Where a key moves a task to; null for one that moves nothing. */
function byKey({ columns }: TaskBoardDto, task: ProjectTaskDto, key: string): Place | null {
  const at = columns.findIndex(({ status }) => status === task.status);
  const index = columns[at]?.tasks.findIndex(({ id }) => id === task.id) ?? -1;
  const last = (columns[at]?.tasks.length ?? 0) - 1;
  if (key === 'ArrowUp' && index > 0) return { status: task.status, index: index - 1 };
  if (key === 'ArrowDown' && index < last) return { status: task.status, index: index + 1 };
  const step = { ArrowLeft: -1, ArrowRight: 1 }[key];
  const beside: TaskStatus | undefined = step ? columns[at + step]?.status : undefined;
  return beside ? { status: beside, index: 0 } : null;
}
