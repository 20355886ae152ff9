// Invitations to a unit: who is asked to join it, as what, and what became of it.
import { useState } from 'react';
import type { OrgUnitInviteCreatedDto, OrgUnitInviteDto } from '../../../client/index.ts';
import { formatDay, t, words } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Copyable, copyText } from '../../ui/code.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Chip, type Shape, type Tone } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { InviteDialog } from './invite-dialog.tsx';
import type { UnitProps } from './unit-props.ts';

const looks: Record<OrgUnitInviteDto['status'], [Shape, Tone]> = {
  Pending: ['hollow', 'accent'],
  Accepted: ['tick', 'good'],
  Revoked: ['dam', 'plain'],
  Expired: ['clock', 'plain'],
};

export function Invitations({ unit, news, onChange }: UnitProps) {
  const params = { id: unit.id };
  const list = useKept(
    useResource(`invitations to unit ${unit.id}`, () => client.orgUnits.invites({ params, query: {} })),
  );
  useReloadOn(news, list.reload);
  const [isNew, setNew] = useState(false);
  const [made, setMade] = useState<OrgUnitInviteCreatedDto | null>(null);
  const [revoked, setRevoked] = useState<OrgUnitInviteDto | null>(null);
  const changed = () => {
    list.reload();
    onChange();
  };
  const invite = (
    <Button icon="mail" onClick={() => setNew(true)}>
      {t('Invite by e-mail')}
    </Button>
  );
  return (
    <div className="stack">
      {made && <MadeInvite made={made} onHide={() => setMade(null)} />}
      <Loaded resource={list}>
        {(invites) =>
          invites.length === 0 ? (
            <Empty title={t('Nobody was invited yet')} action={invite}>
              {t('Who is invited joins the unit with an account of their own, or makes one by the link.')}
            </Empty>
          ) : (
            <>
              <div>{invite}</div>
              <Table rows={invites} keyOf={({ id }) => id} columns={columns(setRevoked)} />
            </>
          )
        }
      </Loaded>
      {isNew && <InviteDialog unit={unit} onClose={() => setNew(false)} onMade={setMade} onDone={changed} />}
      {revoked && (
        <Confirm
          title={t('Revoke the invitation of {email}?', { email: revoked.email })}
          action={t('Revoke')}
          onConfirm={() => client.orgUnits.revokeInvite({ params: { ...params, inviteId: revoked.id } }).then(changed)}
          onClose={() => setRevoked(null)}
        >
          <p>{t('Its link works no more.')}</p>
        </Confirm>
      )}
    </div>
  );
}

/** The link of an invitation, which nobody can read again. */
function MadeInvite({ made, onHide }: { made: OrgUnitInviteCreatedDto; onHide: () => void }) {
  const { invite, acceptUrl, emailSent } = made;
  return (
    <section className="secret" aria-label={t('Link of the invitation')}>
      <div className="grow">
        <div className="small muted">
          {emailSent
            ? t('The link was mailed to {email}. It is shown once.', { email: invite.email })
            : t('Send this link to {email}. It is shown once: copy it now.', { email: invite.email })}
        </div>
        <Copyable text={acceptUrl} />
      </div>
      <Button icon="copy" onClick={() => copyText(acceptUrl)}>
        {t('Copy the link')}
      </Button>
      <IconButton icon="close" label={t('Hide')} onClick={onHide} />
    </section>
  );
}

const columns = (onRevoke: (invite: OrgUnitInviteDto) => void): Column<OrgUnitInviteDto>[] => [
  {
    head: t('E-mail'),
    className: 'grow',
    cell: ({ email, message }) => (
      <>
        <strong>{email}</strong>
        {message && <div className="small muted clamp">{message}</div>}
      </>
    ),
  },
  {
    head: t('Role'),
    cell: ({ roleName }) => (roleName ? words(roleName) : <span className="faint">{t('none')}</span>),
  },
  {
    head: t('Status'),
    cell: ({ status }) => (
      <Chip shape={looks[status][0]} tone={looks[status][1]}>
        {words(status)}
      </Chip>
    ),
  },
  { head: t('Invited by'), cell: ({ invitedByName }) => invitedByName ?? '–' },
  {
    head: t('Until'),
    cell: ({ status, acceptedAtUtc, expiresAtUtc }) =>
      status === 'Accepted' && acceptedAtUtc
        ? t('accepted {date}', { date: formatDay(acceptedAtUtc) })
        : formatDay(expiresAtUtc),
  },
  {
    head: '',
    num: true,
    cell: (invite) =>
      invite.status === 'Pending' && (
        <Button size="small" onClick={() => onRevoke(invite)}>
          {t('Revoke')}
        </Button>
      ),
  },
];
