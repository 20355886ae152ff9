// Log subscriptions: which lines are sent to whose inbox.
import { useState } from 'react';
import type { LogDomain, LogSubscriptionDto, SystemLogLevel } from '../../../client/index.ts';
import { namesOf, t, words } from '../../base/i18n.ts';
import { useLocation } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { pageIn, UrlPages } from '../../ui/pages.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { Chip } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { say } from '../../ui/toast.tsx';
import { useDraftRecord } from '../../ui/use-draft-record.ts';
import { nameOf, useIdentities } from '../memory/chosen.tsx';
import { domains, levels } from './filter.ts';

const pageSize = 50;

export function Subscriptions() {
  const page = pageIn(useLocation().query);
  const list = useKept(
    useResource(`log subscriptions ${page}`, () => client.logSubscriptions.list({ query: { page, pageSize } })),
  );
  const [open, setOpen] = useState<LogSubscriptionDto | 'new' | null>(null);
  const [deleting, setDeleting] = useState<LogSubscriptionDto | null>(null);
  const columns: Column<LogSubscriptionDto>[] = [
    { head: t('Lines of'), cell: (one) => <strong>{words(one.domain)}</strong> },
    { head: t('From level'), cell: (one) => words(one.minLevel) },
    { head: t('On machine'), cell: (one) => one.sourceHost ?? t('all') },
    {
      head: t('To the inbox of'),
      cell: (one) => <a href={`#/identities/${one.identityId}`}>{one.identityName ?? `#${one.identityId}`}</a>,
    },
    {
      head: t('State'),
      cell: ({ isActive }) => (
        <Chip shape={isActive ? 'flow' : 'bars'} tone={isActive ? 'good' : 'plain'}>
          {isActive ? t('On') : t('Off')}
        </Chip>
      ),
    },
    {
      head: '',
      num: true,
      cell: (one) => (
        <span className="row wrap end">
          <Button size="small" icon="edit" onClick={() => setOpen(one)}>
            {t('Change')}
          </Button>
          <Button size="small" kind="danger" onClick={() => setDeleting(one)}>
            {t('Delete')}
          </Button>
        </span>
      ),
    },
  ];
  return (
    <div className="stack">
      <p className="muted">
        {t('Lines that come together are one message: how many, what they say most often, and the first of them.')}
      </p>
      <div>
        <Button kind="primary" icon="plus" onClick={() => setOpen('new')}>
          {t('New log subscription')}
        </Button>
      </div>
      <Loaded resource={list}>
        {(found) =>
          found.items.length === 0 ? (
            <Empty title={t('No log subscriptions yet')}>
              {t('Add one to get errors of webhooks, or denied attempts, as messages.')}
            </Empty>
          ) : (
            <>
              <Table rows={found.items} keyOf={({ id }) => id} columns={columns} />
              <UrlPages page={page} list={found} />
            </>
          )
        }
      </Loaded>
      {open && (
        <SubscriptionDialog
          {...(open === 'new' ? {} : { subscription: open })}
          onClose={() => setOpen(null)}
          onDone={list.reload}
        />
      )}
      {deleting && (
        <Confirm
          title={t('Delete the log subscription of {domain}?', { domain: words(deleting.domain) })}
          action={t('Delete')}
          onClose={() => setDeleting(null)}
          onConfirm={async () => {
            await client.logSubscriptions.remove({ params: { id: deleting.id } });
            say(t('Deleted'));
            list.reload();
          }}
        >
          <p>{t('Lines that wait for its next message are not sent. The log keeps them.')}</p>
        </Confirm>
      )}
    </div>
  );
}

interface DialogProps {
  subscription?: LogSubscriptionDto;
  onClose: () => void;
  onDone: () => void;
}

function SubscriptionDialog({ subscription, onClose, onDone }: DialogProps) {
  const { written, write, clear } = useDraftRecord(`log-subscription.${subscription?.id ?? 'new'}`, {
    domain: subscription?.domain ?? ('System' as LogDomain),
    minLevel: subscription?.minLevel ?? ('Error' as SystemLogLevel),
    identityId: subscription ? String(subscription.identityId) : '',
    sourceHost: subscription?.sourceHost ?? '',
    isActive: subscription?.isActive ?? true,
  });
  const identities = useIdentities();
  const save = async () => {
    const { domain, minLevel, isActive } = written;
    const body = {
      ...{ domain, minLevel, isActive },
      identityId: written.identityId === '' ? null : Number(written.identityId),
      sourceHost: written.sourceHost.trim() || null,
    };
    if (subscription) await client.logSubscriptions.replace({ params: { id: subscription.id }, body });
    else await client.logSubscriptions.create({ body });
    clear();
    onDone();
  };
  const people = (identities.data?.items ?? []).map((one) => [String(one.id), nameOf(one)] as const);
  return (
    <FormDialog
      title={subscription ? t('Change the log subscription') : t('New log subscription')}
      action={t('Save')}
      onSubmit={save}
      onClose={onClose}
      onDiscard={clear}
    >
      <SelectField
        label={t('Lines of')}
        value={written.domain}
        onChange={(domain) => write({ domain })}
        options={namesOf(domains)}
      />
      <SelectField
        label={t('From level')}
        value={written.minLevel}
        onChange={(minLevel) => write({ minLevel })}
        options={namesOf(levels)}
      />
      <SelectField
        label={t('To the inbox of')}
        value={written.identityId}
        onChange={(identityId) => write({ identityId })}
        options={subscription ? people : [['', t('Myself')] as const, ...people]}
      />
      <TextField
        name="sourceHost"
        label={t('On machine')}
        hint={t('Its host name; empty for all.')}
        value={written.sourceHost}
        onChange={(sourceHost) => write({ sourceHost })}
      />
      <CheckField label={t('On')} checked={written.isActive} onChange={(isActive) => write({ isActive })} />
    </FormDialog>
  );
}
