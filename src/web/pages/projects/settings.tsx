// Settings of a project: what it is called and told, its repository, its members, and its end.
import { useState } from 'react';
import type { ProjectDetailDto, ProjectStatus } from '../../../client/index.ts';
import { namesOf, t } from '../../base/i18n.ts';
import { goFromHere } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useUnitOptions } from '../../state/units.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { RecordForm, type Section } from '../../ui/record-form.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { Members } from './members.tsx';
import { RepositoryCredentials } from './repository-credentials.tsx';

interface Props {
  project: ProjectDetailDto;
  onChange: () => void;
}

type UnitOption = readonly [value: string, label: string];

const statuses: ProjectStatus[] = ['Planned', 'Active', 'Paused', 'Completed'];

const sections = (units: readonly UnitOption[]): Section<keyof ProjectDetailDto & string>[] => [
  {
    title: t('About'),
    fields: [
      { key: 'name', label: t('Name'), kind: 'text' },
      { key: 'status', label: t('Status'), kind: 'choice', options: namesOf(statuses) },
      { key: 'description', label: t('Description'), kind: 'long', orNone: true },
      { key: 'tags', label: t('Tags'), kind: 'lines', hint: t('One a line.') },
      ...(units.length === 0
        ? []
        : [
            {
              ...{ key: 'orgUnitId' as const, label: t('Organisation unit'), kind: 'choice' as const, numeric: true },
              ...{ orNone: t('None'), options: units },
              hint: t('Its members work in the project; its budget and policy hold there.'),
            },
          ]),
    ],
  },
  {
    title: t('Agents'),
    fields: [
      {
        key: 'agentInstructions',
        label: t('Instructions for agents'),
        kind: 'long',
        orNone: true,
        hint: t('Every run and chat of the project begins with them.'),
      },
      {
        key: 'repositoryUrl',
        label: t('Repository'),
        kind: 'text',
        orNone: true,
        hint: t('Workspaces of its runs begin with it.'),
      },
      { key: 'defaultBranch', label: t('Branch'), kind: 'text', orNone: true },
    ],
  },
  {
    title: t('Public site'),
    fields: [
      { key: 'siteEnabled', label: t('Publish a site'), kind: 'check' },
      { key: 'siteSlug', label: t('Its address'), kind: 'text', orNone: true, hint: t('The last part of /sites/…') },
    ],
  },
];

/** The units to choose from, with the one that the project has though the reader may not know of it. */
function unitsFor({ orgUnitId, orgUnitName }: ProjectDetailDto, known: readonly UnitOption[] | null) {
  const units = (known ?? []).filter(([key]) => key !== '');
  if (orgUnitId === null || units.some(([key]) => key === String(orgUnitId))) return units;
  return [[String(orgUnitId), orgUnitName ?? `#${orgUnitId}`] as const, ...units];
}

export function Settings({ project, onChange }: Props) {
  const isArchived = project.status === 'Archived';
  const units = unitsFor(project, useUnitOptions());
  const maintains = may('ProjectsWrite') && (project.callerRole === 'Owner' || project.callerRole === 'Maintainer');
  const save = async (one: ProjectDetailDto) => {
    const { name, status, description, tags, agentInstructions, repositoryUrl, defaultBranch } = one;
    const { siteEnabled, siteSlug, orgUnitId } = one;
    const body = { name, status, description, tags, agentInstructions, repositoryUrl, defaultBranch };
    // A unit is named only when it changes: to name one takes that it is there still.
    const placed = orgUnitId !== project.orgUnitId ? { orgUnitId } : {};
    await client.projects.patch({ params: { id: project.id }, body: { ...body, ...placed, siteEnabled, siteSlug } });
    onChange();
  };
  return (
    <div className="stack">
      <RecordForm
        draft={`project.${project.id}`}
        value={project}
        sections={sections(units)}
        mayChange={maintains && !isArchived}
        onSave={save}
      />
      {maintains && project.repositoryUrl && <RepositoryCredentials project={project} mayChange={!isArchived} />}
      <Members project={project} mayChange={maintains && !isArchived} onChange={onChange} />
      {may('ProjectsWrite') && project.callerRole === 'Owner' && <End project={project} onChange={onChange} />}
    </div>
  );
}

function End({ project, onChange }: Props) {
  const [asked, setAsked] = useState<'archive' | 'delete' | null>(null);
  const { busy, act } = useAction();
  const params = { id: project.id };
  const isArchived = project.status === 'Archived';
  const archive = async (archived: boolean) => {
    await client.projects.archive({ params, body: { archived } });
    onChange();
  };
  return (
    <section className="card" aria-label={t('The end of the project')}>
      <div className="card-head">
        <h2>{t('The end of the project')}</h2>
      </div>
      <div className="card-body row wrap">
        {isArchived ? (
          <>
            <Button disabled={busy} onClick={() => void act(() => archive(false))}>
              {t('Restore')}
            </Button>
            <Button kind="danger" onClick={() => setAsked('delete')}>
              {t('Delete the project')}
            </Button>
          </>
        ) : (
          <Button onClick={() => setAsked('archive')}>{t('Archive')}</Button>
        )}
        <span className="muted small">
          {isArchived
            ? t('It is archived: nothing new begins in it.')
            : t('What is archived can be restored, or deleted for ever.')}
        </span>
      </div>
      {asked === 'archive' && (
        <Confirm
          title={t('Archive {name}?', { name: project.name })}
          action={t('Archive')}
          danger={false}
          onConfirm={() => archive(true)}
          onClose={() => setAsked(null)}
        >
          <p>
            {t('Its routines stop; no run or task begins in it, and its settings stand still until it is restored.')}
          </p>
        </Confirm>
      )}
      {asked === 'delete' && <Deletion project={project} onClose={() => setAsked(null)} />}
    </section>
  );
}

function Deletion({ project, onClose }: { project: ProjectDetailDto; onClose: () => void }) {
  const [key, setKey] = useState('');
  const remove = async () => {
    const goOn = goFromHere();
    await client.projects.remove({ params: { id: project.id }, body: { confirmKey: key.trim().toUpperCase() } });
    say(t('Deleted'));
    goOn('/projects');
  };
  return (
    <FormDialog
      title={t('Delete {name} for ever?', { name: project.name })}
      action={t('Delete')}
      ready={key.trim().toUpperCase() === project.key}
      onSubmit={remove}
      onClose={onClose}
    >
      <p>
        {t('Its tasks, documents, facts, goals, memories and activity go; its runs stay on record for administrators.')}
      </p>
      <TextField
        name="confirmKey"
        label={t('Type the key {key} to confirm', { key: project.key })}
        value={key}
        onChange={setKey}
        required
      />
    </FormDialog>
  );
}
