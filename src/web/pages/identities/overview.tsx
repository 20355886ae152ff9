// What an identity is up to in figures, and what is said of it, to change.
import { useState } from 'react';
import type { IdentityDto } from '../../../client/index.ts';
import { formatCost, formatNumber, formatPercent, formatShort, plural, t } from '../../base/i18n.ts';
import { goFromHere } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Figures } from '../../ui/figures.tsx';
import { RecordForm, type Section } from '../../ui/record-form.tsx';
import { Loaded } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { AdoptDialog } from './adopt-dialog.tsx';
import { CloneDialog } from './clone-dialog.tsx';

const about: Section<keyof IdentityDto>[] = [
  {
    title: 'About',
    fields: [
      { key: 'name', label: 'Name', kind: 'text' },
      { key: 'displayName', label: 'Display name', kind: 'text' },
      { key: 'isActive', label: 'Active', kind: 'check' },
      { key: 'bio', label: 'About', kind: 'long', orNone: true },
      { key: 'origin', label: 'Origin', kind: 'long', orNone: true },
    ],
  },
];

export function Overview({ identity, onChange }: { identity: IdentityDto; onChange: () => void }) {
  const [asking, setAsking] = useState<'clone' | 'adopt' | 'delete' | null>(null);
  const close = () => setAsking(null);
  const isChild = identity.provisionedByIdentityId !== null && identity.adoptedAtUtc === null;
  const params = { id: identity.id };
  const save = async ({ name, displayName, bio, origin, isActive }: IdentityDto) => {
    await client.identities.patch({ params, body: { name, displayName, bio, origin, isActive } });
    onChange();
  };
  const remove = async () => {
    const goOn = goFromHere();
    await client.identities.remove({ params });
    say(t('Deleted'));
    goOn('/identities');
    onChange();
  };
  return (
    <>
      <Summary identityId={identity.id} />
      <RecordForm
        draft={`identity.${identity.id}`}
        value={identity}
        sections={about}
        mayChange={may('IdentitiesWrite')}
        onSave={save}
      />
      <div className="row wrap">
        {may('IdentitiesWrite') && (
          <Button size="small" icon="copy" onClick={() => setAsking('clone')}>
            {t('Clone')}
          </Button>
        )}
        {may('IdentitiesProvision') && isChild && (
          <Button size="small" onClick={() => setAsking('adopt')}>
            {t('Adopt')}
          </Button>
        )}
        {may('IdentitiesWrite') && (
          <Button kind="danger" size="small" onClick={() => setAsking('delete')}>
            {t('Delete the identity')}
          </Button>
        )}
      </div>
      {asking === 'clone' && <CloneDialog identity={identity} onClose={close} onDone={onChange} />}
      {asking === 'adopt' && <AdoptDialog identity={identity} onClose={close} onDone={onChange} />}
      {asking === 'delete' && (
        <Confirm
          title={t('Delete the identity {name}?', { name: identity.displayName || identity.name })}
          action={t('Delete')}
          onConfirm={remove}
          onClose={close}
        >
          <p>{t('Its keys stop working at once. Runs and messages are kept.')}</p>
        </Confirm>
      )}
    </>
  );
}

function Summary({ identityId }: { identityId: number }) {
  const summary = useResource(`summary ${identityId}`, () =>
    client.swarm.summary({ params: { identityId }, query: {} }),
  );
  return (
    <Loaded resource={summary} rows={2}>
      {(one) => (
        <section className="card" aria-label={t('Summary')}>
          <div className="card-head">
            <h3>{plural(one.days, 'Last {n} day', 'Last {n} days')}</h3>
          </div>
          <div className="card-body">
            <Figures
              items={[
                [t('Runs'), formatNumber(one.totalRunCount)],
                [t('Active runs'), formatNumber(one.activeRunCount)],
                [t('Success'), one.totalRunCount === 0 ? '–' : formatPercent(one.successRate)],
                [t('Tokens'), formatShort(one.tokensUsed)],
                [t('Cost'), formatCost(one.costUsd)],
                [t('Memories'), formatNumber(one.memoryCount)],
                [t('Unread messages'), formatNumber(one.unreadMessages)],
                [t('Pending escalations'), formatNumber(one.pendingEscalationCount)],
                [t('Due hints'), formatNumber(one.dueHintCount)],
                [t('Relationships'), formatNumber(one.relationshipCount)],
                [t('Children'), formatNumber(one.childCount)],
              ]}
            />
          </div>
        </section>
      )}
    </Loaded>
  );
}
