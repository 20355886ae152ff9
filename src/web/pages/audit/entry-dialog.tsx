// One entry of the audit log: who, from where, what was written with its digests, and whether the entry is intact.
import { formatDate, t, words } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Copyable, Json } from '../../ui/code.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Chip } from '../../ui/status.tsx';
import { Outcome } from './outcome.tsx';

type Entry = Awaited<ReturnType<typeof client.auditEvents.get>>;

export function EntryDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const entry = useResource(`audit entry ${id}`, () => client.auditEvents.get({ params: { id } }));
  return (
    <Dialog wide title={entry.data?.action ?? t('Audit entry')} onClose={onClose}>
      <Loaded resource={entry}>{(one) => <EntryView entry={one} />}</Loaded>
    </Dialog>
  );
}

const factsOf = (one: Entry) =>
  [
    [t('Time'), formatDate(one.createdAtUtc)],
    [t('Category'), words(one.category)],
    [t('Actor'), [one.actorName ?? words(one.actorKind), one.actorId === null ? '' : `#${one.actorId}`].join(' ')],
    [
      t('Target'),
      [one.targetKind, one.targetName, one.targetId === null ? '' : `#${one.targetId}`].filter(Boolean).join(' '),
    ],
    [t('IP address'), one.ip],
    [t('User agent'), one.userAgent],
    [t('Request'), one.requestId && <Copyable text={one.requestId} />],
    [t('Detail'), one.detail],
    [t('Sequence number'), String(one.seq)],
    [t('Previous hash'), <Copyable key="previous" text={one.prevHash} />],
    [t('Hash'), <Copyable key="hash" text={one.hash} />],
  ] as const;

function EntryView({ entry }: { entry: Entry }) {
  return (
    <div className="stack">
      <span className="row wrap">
        <Outcome outcome={entry.outcome} />
        <Chip shape={entry.chainValid ? 'tick' : 'cross'} tone={entry.chainValid ? 'good' : 'bad'}>
          {entry.chainValid ? t('Chain intact') : t('Chain broken')}
        </Chip>
      </span>
      <dl className="facts">
        {factsOf(entry)
          .filter(([, value]) => value)
          .map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
      </dl>
      {entry.changesJson && (
        <section className="stack tight">
          <h3>{t('Changes')}</h3>
          <Json value={entry.changesJson} />
        </section>
      )}
      {entry.requestJson && (
        <section className="stack tight">
          <h3>{t('Request')}</h3>
          <Json value={entry.requestJson} />
        </section>
      )}
    </div>
  );
}
