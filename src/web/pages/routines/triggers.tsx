// The events that wake a routine: patterns with their filters, and how soon they may wake it again.
import { useState } from 'react';
import type { AgentRoutineDetailDto, AgentRoutineTriggerDto } from '../../../client/index.ts';
import { plural, t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useDraftRecord } from '../../ui/use-draft-record.ts';

export function Triggers({ routine }: { routine: AgentRoutineDetailDto }) {
  const { id } = routine;
  const [adding, setAdding] = useState(false);
  const { busy, act } = useAction();
  const triggers = useKept(
    useResource(`triggers of ${id}`, () => client.agentRoutines.listTriggers({ params: { id } })),
  );
  const remove = (triggerId: number) =>
    void act(() => client.agentRoutines.removeTrigger({ params: { id, triggerId } })).then(
      (done) => done && triggers.reload(),
    );
  return (
    <section className="stack" aria-label={t('Events that wake it')}>
      {may('RoutinesWrite') && (
        <div>
          <Button icon="plus" onClick={() => setAdding(true)}>
            {t('Wake it on an event')}
          </Button>
        </div>
      )}
      <Loaded resource={triggers} rows={3}>
        {(all) =>
          all.length === 0 ? (
            <Empty title={t('No event wakes it')}>
              {t('Name events by a pattern such as task.* or project:7/run.failed, and narrow them by their fields.')}
            </Empty>
          ) : (
            <Table rows={all} keyOf={(one) => one.id} columns={columns(busy, remove)} />
          )
        }
      </Loaded>
      {adding && <TriggerDialog routineId={id} onClose={() => setAdding(false)} onDone={triggers.reload} />}
    </section>
  );
}

const columns = (busy: boolean, remove: (id: number) => void): Column<AgentRoutineTriggerDto>[] => [
  { head: t('Pattern'), className: 'wide', cell: ({ eventPattern }) => <code>{eventPattern}</code> },
  { head: t('Filter'), className: 'wide', cell: ({ filterJson }) => (filterJson ? <code>{filterJson}</code> : '') },
  {
    head: t('Again after'),
    num: true,
    cell: ({ minSecondsBetweenWakes }) => plural(minSecondsBetweenWakes, '{n} second', '{n} seconds'),
  },
  {
    head: '',
    num: true,
    cell: ({ id, eventPattern }) =>
      may('RoutinesWrite') && (
        <IconButton
          icon="close"
          label={t('Take “{pattern}” away', { pattern: eventPattern })}
          disabled={busy}
          onClick={() => remove(id)}
        />
      ),
  },
];

interface DialogProps {
  routineId: number;
  onClose: () => void;
  onDone: () => void;
}

function TriggerDialog({ routineId, onClose, onDone }: DialogProps) {
  const { written, write, clear } = useDraftRecord(`routine.trigger.${routineId}`, {
    pattern: '',
    filter: '',
    seconds: '60',
  });
  const save = async () => {
    await client.agentRoutines.createTrigger({
      params: { id: routineId },
      body: {
        eventPattern: written.pattern,
        minSecondsBetweenWakes: Number(written.seconds),
        ...(written.filter.trim() ? { filterJson: written.filter } : {}),
      },
    });
    clear();
    onDone();
  };
  return (
    <FormDialog
      title={t('Wake it on an event')}
      action={t('Save')}
      ready={written.pattern.trim() !== '' && written.seconds !== ''}
      onSubmit={save}
      onClose={onClose}
      onDiscard={clear}
    >
      <TextField
        mono
        name="eventPattern"
        label={t('Pattern of events')}
        value={written.pattern}
        onChange={(pattern) => write({ pattern })}
        placeholder="task.*"
        hint={t('A type with * for any characters, or a topic before it: project:7/run.failed.')}
        required
      />
      <TextField
        mono
        label={t('Filter, as JSON')}
        value={written.filter}
        onChange={(filter) => write({ filter })}
        rows={3}
        placeholder={'{"title": {"contains": "price"}}'}
        hint={t(
          'Fields of the event, each with a value or with eq, ne, gt, gte, lt, lte, in, contains or exists; all must hold.',
        )}
      />
      <TextField
        name="minSecondsBetweenWakes"
        label={t('Seconds until it may wake it again')}
        type="number"
        value={written.seconds}
        onChange={(seconds) => write({ seconds })}
      />
    </FormDialog>
  );
}
