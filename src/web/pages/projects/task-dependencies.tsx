// What a task waits for, and what waits for it.
import { useState } from 'react';
import type { ProjectTaskDetailDto, TaskDependencyDto } from '../../../client/index.ts';
import { t, words } from '../../base/i18n.ts';
import { currentLocation, href } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { State } from '../../ui/status.tsx';
import { useAction } from '../../ui/use-action.ts';

interface Props {
  task: ProjectTaskDetailDto;
  mayChange: boolean;
  onChange: () => void;
}

export function Dependencies({ task, mayChange, onChange }: Props) {
  const [isNew, setNew] = useState(false);
  const { act } = useAction();
  const drop = ({ dependsOnTaskId }: TaskDependencyDto) =>
    void act(() => client.tasks.undepend({ params: { id: task.id, dependsOnTaskId } })).then(
      (done) => done && onChange(),
    );
  return (
    <section>
      <div className="row">
        <h3 className="grow">{t('Waits for')}</h3>
        {mayChange && (
          <Button size="small" icon="plus" onClick={() => setNew(true)}>
            {t('Add a dependency')}
          </Button>
        )}
      </div>
      <ul className="plain-list">
        {task.dependencies.map((one) => (
          <li key={one.dependsOnTaskId} className="row">
            <Other id={one.dependsOnTaskId} dependency={one} />
            {mayChange && (
              <IconButton icon="close" label={t('Remove {name}', { name: one.title })} onClick={() => drop(one)} />
            )}
          </li>
        ))}
      </ul>
      {task.dependencies.length === 0 && <p className="muted small">{t('None')}</p>}
      {task.dependents.length > 0 && (
        <>
          <h3>{t('Waited for by')}</h3>
          <ul className="plain-list">
            {task.dependents.map((one) => (
              <li key={one.taskId} className="row">
                <Other id={one.taskId} dependency={one} />
              </li>
            ))}
          </ul>
        </>
      )}
      {isNew && <NewDependency task={task} onClose={() => setNew(false)} onDone={onChange} />}
    </section>
  );
}

function Other({ id, dependency }: { id: number; dependency: TaskDependencyDto }) {
  const { path, query } = currentLocation();
  return (
    <>
      <a className="grow" href={href(path, { ...Object.fromEntries(query), task: id })}>
        {dependency.title}
      </a>
      {dependency.kind !== 'Blocks' && <span className="faint small">{words(dependency.kind)}</span>}
      <State name={dependency.status} />
    </>
  );
}

interface NewProps {
  task: ProjectTaskDetailDto;
  onClose: () => void;
  onDone: () => void;
}

function NewDependency({ task, onClose, onDone }: NewProps) {
  const [chosen, setChosen] = useState('');
  const others = useResource(`tasks beside ${task.id}`, () =>
    client.tasks.listIn({ params: { projectId: task.projectId }, query: { pageSize: 200, openOnly: true } }),
  );
  const options = (others.data?.items ?? [])
    .filter(({ id }) => id !== task.id)
    .map((one) => [String(one.id), `#${one.id} ${one.title}`] as const);
  return (
    <FormDialog
      title={t('What must be done first?')}
      action={t('Add')}
      ready={chosen !== ''}
      onSubmit={async () => {
        await client.tasks.depend({ params: { id: task.id }, body: { dependsOnTaskId: Number(chosen) } });
        onDone();
      }}
      onClose={onClose}
    >
      <SelectField
        label={t('Task')}
        value={chosen}
        onChange={setChosen}
        options={[['', t('Choose a task')] as const, ...options]}
      />
    </FormDialog>
  );
}
