// What opens a project's private repository: whether there is something, for whom, and a place to give it anew.
import { type FormEvent, useState } from 'react';
import type { ProjectDetailDto } from '../../../client/index.ts';
import { formatAgo, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { TextField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';

interface Props {
  project: ProjectDetailDto;
  mayChange: boolean;
}

export function RepositoryCredentials({ project, mayChange }: Props) {
  const params = { id: project.id };
  const known = useResource(`credentials of ${project.id} ${project.repositoryUrl}`, () =>
    client.repositoryCredentials.read({ params }),
  );
  const [username, setUsername] = useState('');
  const [secret, setSecret] = useState('');
  const [isRemoving, setRemoving] = useState(false);
  const { busy, act } = useAction();
  const send = (event: FormEvent) => {
    event.preventDefault();
    const body = { username: username.trim() || null, secret };
    void act(() => client.repositoryCredentials.set({ params, body })).then((done) => {
      if (!done) return;
      setSecret('');
      known.reload();
      say(t('Saved'));
    });
  };
  return (
    <section className="card" aria-label={t('Credentials of the repository')}>
      <div className="card-head">
        <h2>{t('Credentials of the repository')}</h2>
      </div>
      <div className="card-body stack">
        <Loaded resource={known} rows={1}>
          {({ isSet, username: name, origin, setAtUtc }) => (
            <div className="row wrap">
              <span className="grow muted">
                {isSet
                  ? t('{name} at {origin}, set {when}. They are not shown again.', {
                      name: name ?? '',
                      origin: origin ?? '',
                      when: formatAgo(setAtUtc ?? '', Date.now()),
                    })
                  : t('None: the repository is fetched as anybody may.')}
              </span>
              {isSet && mayChange && <Button onClick={() => setRemoving(true)}>{t('Remove')}</Button>}
            </div>
          )}
        </Loaded>
        {mayChange && (
          <form className="stack tight" onSubmit={send}>
            <TextField
              label={t('User name')}
              value={username}
              onChange={setUsername}
              autoComplete="off"
              hint={t('A token needs none with most hosts.')}
            />
            <TextField
              label={t('Token or password')}
              type="password"
              value={secret}
              onChange={setSecret}
              autoComplete="new-password"
              required
              hint={t('Used to fetch from this host alone, and kept sealed.')}
            />
            <div>
              <Button type="submit" disabled={busy || secret === ''}>
                {t('Set credentials')}
              </Button>
            </div>
          </form>
        )}
      </div>
      {isRemoving && (
        <Confirm
          title={t('Remove the credentials of the repository?')}
          action={t('Remove')}
          onConfirm={() => client.repositoryCredentials.remove({ params }).then(known.reload)}
          onClose={() => setRemoving(false)}
        >
          <p>{t('Runs begin with what was fetched last, until there are others.')}</p>
        </Confirm>
      )}
    </section>
  );
}
