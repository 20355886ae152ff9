// Maintenance: the mode, what is done by itself, tasks to run, and how the last ones went.
import { useState } from 'react';
import type { MaintenanceRunDto, MaintenanceTask } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { formatAgo, formatDate, formatNumber, namesOf, t, words } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useEvery } from '../../state/every.ts';
import { useNews } from '../../state/news.ts';
import { useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Fields } from '../../ui/fields.tsx';
import { Loaded } from '../../ui/states.tsx';
import { State } from '../../ui/status.tsx';
import { Table } from '../../ui/table.tsx';
import { useAction } from '../../ui/use-action.ts';

/** Tasks as people choose them, and what each says that it will do. */
const tasks = (): [MaintenanceTask, string][] => [
  ['Backup', t('A copy of everything goes into the folder of backups, while the server works.')],
  ['PruneEvents', t('Events of streams that are older than the policy says are deleted.')],
  ['PruneChats', t('Chats that are older than the policy says are deleted; pinned ones stay.')],
  ['PruneLogs', t('Lines of the kept log that are older than the policy says are deleted.')],
  ['ExpireIdentities', t('Identities whose time has passed are switched off, with their keys.')],
  ['DecayMemories', t('Memories that nobody uses count for less.')],
  ['ArchiveMemories', t('Memories that nobody uses are archived, where their identity says so.')],
  ['RecountTotals', t('Messages and tokens of chats are counted anew.')],
  ['RollupUsage', t('What budgets have spent is added up anew.')],
  ['VerifyAuditChain', t('The audit log is checked from its first entry to its last.')],
  ['ReindexEmbeddings', t('The indexes of memories are made to agree with the documents.')],
  ['CleanWorkspaces', t('Files of runs that ended long ago are deleted.')],
  ['RotateSigningKeys', t('New tokens are signed with a new key; those that are out hold for their time.')],
  ['EncryptSecrets', t('What the secret before this one sealed is sealed anew.')],
];

export function Maintenance() {
  const status = useResource('maintenance', () => client.maintenance.status());
  useReloadOn(
    useNews('system', ({ type }) => type === 'maintenance.updated'),
    status.reload,
  );
  useEvery(status.reload);
  return (
    <Loaded resource={status}>
      {({ maintenanceMode, message, runs, schedules }) => (
        <div className="stack">
          <Mode on={maintenanceMode} message={message} onDone={status.reload} />
          <Run onDone={status.reload} />
          <Jobs runs={runs} />
          <section className="card">
            <div className="card-head">
              <h2>{t('Done by itself')}</h2>
            </div>
            <Table
              rows={schedules}
              keyOf={(one) => one.task}
              columns={[
                { head: t('Scheduled task'), cell: (one) => words(one.task) },
                { head: t('At (UTC)'), cell: (one) => <code>{one.cronExpression}</code> },
                { head: t('Last state'), cell: (one) => (one.lastState ? <State name={one.lastState} /> : '–') },
                { head: t('Next'), cell: (one) => (one.nextDueAtUtc ? formatDate(one.nextDueAtUtc) : t('never')) },
              ]}
            />
          </section>
        </div>
      )}
    </Loaded>
  );
}

function Mode({ on, message, onDone }: { on: boolean; message: string | null; onDone: () => void }) {
  const { busy, act } = useAction();
  const [asking, setAsking] = useState(false);
  const start = (task: MaintenanceTask) => client.maintenance.start({ body: { task } }).then(onDone);
  return (
    <section className="card">
      <div className="card-head">
        <h2>{t('Maintenance mode')}</h2>
        <State name={on ? 'Paused' : 'Running'} />
      </div>
      <div className="card-body stack">
        <p className="muted">
          {on ? (message ?? t('Operators alone can change anything.')) : t('Everybody works as usual.')}
        </p>
        {may('SystemWrite') && (
          <div className="row">
            <Button
              disabled={busy}
              onClick={() => (on ? void act(() => start('ExitMaintenanceMode')) : setAsking(true))}
            >
              {on ? t('End maintenance mode') : t('Begin maintenance mode')}
            </Button>
          </div>
        )}
      </div>
      {asking && (
        <Confirm
          title={t('Begin maintenance mode?')}
          action={t('Begin')}
          onConfirm={() => start('EnterMaintenanceMode')}
          onClose={() => setAsking(false)}
        >
          <p>{t('Nobody but operators can change anything, and no queued run begins, until it ends.')}</p>
        </Confirm>
      )}
    </section>
  );
}

function Run({ onDone }: { onDone: () => void }) {
  const [task, setTask] = useState<MaintenanceTask>('Backup');
  const { busy, act } = useAction();
  if (!may('SystemWrite')) return null;
  const about = tasks().find(([name]) => name === task)?.[1];
  return (
    <section className="card">
      <div className="card-head">
        <h2>{t('Run a task')}</h2>
      </div>
      <div className="card-body stack">
        <div className="row">
          <SelectField
            label={t('Task')}
            value={task}
            onChange={setTask}
            options={namesOf(tasks().map(([name]) => name))}
          />
          <Button
            kind="primary"
            disabled={busy}
            onClick={() => void act(() => client.maintenance.start({ body: { task } })).then(onDone)}
          >
            {busy ? t('At work…') : t('Run it')}
          </Button>
        </div>
        <p className="muted">{about}</p>
      </div>
    </section>
  );
}

function Jobs({ runs }: { runs: readonly MaintenanceRunDto[] }) {
  const now = useNow();
  const [shown, setShown] = useState<MaintenanceRunDto | null>(null);
  return (
    <section className="card">
      <div className="card-head">
        <h2>{t('Last jobs')}</h2>
      </div>
      {runs.length === 0 && <p className="card-body muted">{t('Nothing was run yet.')}</p>}
      {runs.length > 0 && (
        <Table
          rows={runs}
          keyOf={(job) => String(job.id)}
          columns={[
            { head: t('Task'), cell: (job) => words(job.task) },
            { head: t('Status'), cell: (job) => <State name={job.state} /> },
            { head: t('Progress'), num: true, cell: (job) => `${job.progressPercent} %` },
            { head: t('Processed'), num: true, cell: (job) => formatNumber(job.processed) },
            { head: t('Asked for by'), cell: (job) => job.requestedByName ?? t('its schedule') },
            { head: t('Started'), cell: (job) => formatAgo(job.createdAtUtc, now) },
            {
              head: t('Result'),
              cell: (job) =>
                (job.resultJson ?? job.errorMessage) ? (
                  <Button size="small" onClick={() => setShown(job)}>
                    {t('Show')}
                  </Button>
                ) : (
                  '–'
                ),
            },
          ]}
        />
      )}
      {shown && (
        <Dialog title={words(shown.task)} onClose={() => setShown(null)}>
          <div className="stack">
            {shown.errorMessage && <p className="failure">{shown.errorMessage}</p>}
            {shown.resultJson && <Fields json={shown.resultJson} none={t('Nothing')} />}
          </div>
        </Dialog>
      )}
    </section>
  );
}
