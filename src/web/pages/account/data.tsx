// What the server holds on the account, to take along; and how to close the account.
import { useState } from 'react';
import type { UserDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { saveAs } from '../../base/save.ts';
import { client, ending, signOut } from '../../state/app.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useAction } from '../../ui/use-action.ts';
import { CurrentPassword } from './current-password.tsx';

export function AccountData({ user, hasPassword }: { user: UserDto; hasPassword: boolean }) {
  const { busy, act } = useAction();
  const [closing, setClosing] = useState(false);
  const download = async () => {
    const data = await client.users.exportData({ query: {} });
    await saveAs(new Response(JSON.stringify(data, null, 2)), `rivulet-${user.username}.json`);
  };
  return (
    <div className="stack">
      <section className="card">
        <div className="card-head">
          <h2>{t('Export')}</h2>
          <Button size="small" icon="down" disabled={busy} onClick={() => void act(download)}>
            {t('Download my data')}
          </Button>
        </div>
        <div className="card-body">
          <p className="muted">
            {t(
              'Everything that the server holds on you: profile, identities, sessions, chats, messages, audit events.',
            )}
          </p>
        </div>
      </section>
      <section className="card">
        <div className="card-head">
          <h2>{t('Close the account')}</h2>
          <Button size="small" kind="danger" disabled={!hasPassword} onClick={() => setClosing(true)}>
            {t('Close the account')}
          </Button>
        </div>
        <div className="card-body">
          <p className="muted">
            {hasPassword
              ? t('Your sessions and keys end at once. This cannot be undone.')
              : t('Set a password first: it is asked for before the account is closed.')}
          </p>
        </div>
      </section>
      {closing && <CloseDialog onClose={() => setClosing(false)} />}
    </div>
  );
}

function CloseDialog({ onClose }: { onClose: () => void }) {
  const [password, setPassword] = useState('');
  const [deleteData, setDelete] = useState(false);
  const close = async () => {
    await ending(() => client.users.close({ body: { password, deleteData } }));
    await signOut();
  };
  return (
    <FormDialog
      title={t('Close your account?')}
      action={t('Close the account')}
      ready={password !== ''}
      onSubmit={close}
      onClose={onClose}
    >
      <p>{t('Your sessions and keys end at once. This cannot be undone.')}</p>
      <CheckField label={t('Also delete my profile, chats and messages')} checked={deleteData} onChange={setDelete} />
      <CurrentPassword value={password} onChange={setPassword} />
    </FormDialog>
  );
}
