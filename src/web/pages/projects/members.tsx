// Who is in a project, and as what.
import { useState } from 'react';
import type { ProjectDetailDto, ProjectRole } from '../../../client/index.ts';
import { namesOf, t, words } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useAction } from '../../ui/use-action.ts';

interface Props {
  project: ProjectDetailDto;
  mayChange: boolean;
  onChange: () => void;
}

interface Wanted {
  userId: number | null;
  identityId: number | null;
  role: ProjectRole;
}

const roles: ProjectRole[] = ['Owner', 'Maintainer', 'Contributor', 'Viewer'];
const options = () => namesOf(roles);

export function Members({ project, mayChange, onChange }: Props) {
  const [isNew, setNew] = useState(false);
  const { busy, act } = useAction();
  const now: Wanted[] = project.members.map(({ userId, identityId, role }) => ({ userId, identityId, role }));
  const put = async (members: Wanted[]) => {
    await client.projects.members({ params: { id: project.id }, body: { members } });
    onChange();
  };
  const change = (index: number, role: ProjectRole) =>
    void act(() => put(now.map((one, at) => (at === index ? { ...one, role } : one))));
  const drop = (index: number) => void act(() => put(now.filter((_, at) => at !== index)));
  return (
    <section className="card" aria-label={t('Members')}>
      <div className="card-head">
        <h2>{t('Members')}</h2>
        {mayChange && (
          <Button size="small" icon="plus" onClick={() => setNew(true)}>
            {t('Add a member')}
          </Button>
        )}
      </div>
      <ul className="card-body plain-list">
        {project.ownerName && (
          <li className="row">
            <span className="grow">{project.ownerName}</span>
            <span className="muted">{t('Owner of the project')}</span>
          </li>
        )}
        {project.members.map((one, index) => (
          <li key={one.id} className="row member">
            <span className="grow">{one.name}</span>
            {mayChange ? (
              <>
                <SelectField
                  label={t('Role of {name}', { name: one.name })}
                  value={one.role}
                  onChange={(role) => change(index, role)}
                  options={options()}
                />
                <IconButton
                  icon="close"
                  label={t('Remove {name}', { name: one.name })}
                  disabled={busy}
                  onClick={() => drop(index)}
                />
              </>
            ) : (
              <span className="muted">{words(one.role)}</span>
            )}
          </li>
        ))}
      </ul>
      {isNew && <NewMember taken={now} onClose={() => setNew(false)} onAdd={(member) => put([...now, member])} />}
    </section>
  );
}

interface NewProps {
  taken: readonly Wanted[];
  onClose: () => void;
  onAdd: (member: Wanted) => Promise<unknown>;
}

function NewMember({ taken, onClose, onAdd }: NewProps) {
  const [who, setWho] = useState('');
  const [role, setRole] = useState<ProjectRole>('Contributor');
  const users = useResource(may('UsersRead') ? 'users for members' : null, () =>
    client.users.list({ query: { pageSize: 200 } }),
  );
  const identities = useResource(may('IdentitiesRead') ? 'identities for members' : null, () =>
    client.identities.list({ query: { pageSize: 200 } }),
  );
  const people = (users.data?.items ?? [])
    .filter(({ id }) => !taken.some(({ userId }) => userId === id))
    .map((one) => [`user ${one.id}`, one.displayName || one.username] as const);
  const agents = (identities.data?.items ?? [])
    .filter(({ id, type }) => type !== 'Human' && !taken.some(({ identityId }) => identityId === id))
    .map((one) => [`identity ${one.id}`, t('{name}, an agent', { name: one.displayName || one.name })] as const);
  const add = () => {
    const [kind, id] = who.split(' ');
    return onAdd({
      userId: kind === 'user' ? Number(id) : null,
      identityId: kind === 'identity' ? Number(id) : null,
      role,
    });
  };
  return (
    <FormDialog title={t('Add a member')} action={t('Add')} ready={who !== ''} onSubmit={add} onClose={onClose}>
      <SelectField
        label={t('Who')}
        value={who}
        onChange={setWho}
        options={[['', t('Choose somebody')] as const, ...people, ...agents]}
      />
      <SelectField label={t('Role')} value={role} onChange={setRole} options={options()} />
    </FormDialog>
  );
}
