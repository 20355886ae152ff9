// The identities that this one provisioned, with their runs, and how many more it may.
import { useState } from 'react';
import type { SwarmChildDto } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { formatAgo, formatCost, formatDate, formatShort, t, words } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { RunStatus } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { ProvisionDialog } from './provision-dialog.tsx';
import { Secret } from './secret.tsx';

export function Children({ identityId }: { identityId: number }) {
  const now = useNow();
  const list = useResource(`children ${identityId}`, () =>
    client.swarm.children({ params: { identityId }, query: { limit: 200 } }),
  );
  const [making, setMaking] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  return (
    <div className="stack">
      {may('IdentitiesProvision') && (
        <div>
          <Button icon="plus" onClick={() => setMaking(true)}>
            {t('New child')}
          </Button>
        </div>
      )}
      {secret && <Secret text={secret} onHide={() => setSecret(null)} />}
      <Loaded resource={list}>
        {({ children, liveCount, ceiling, remaining }) =>
          children.length === 0 ? (
            <Empty title={t('No children')}>
              {t('Identities that this one provisions for its tasks appear here.')}
            </Empty>
          ) : (
            <>
              <p className="muted">
                {t('{live} active of at most {ceiling}; {remaining} left.', { live: liveCount, ceiling, remaining })}
              </p>
              <Table rows={children} keyOf={(one) => one.identityId} columns={columns(now)} />
            </>
          )
        }
      </Loaded>
      {making && (
        <ProvisionDialog
          identityId={identityId}
          onMade={setSecret}
          onDone={list.reload}
          onClose={() => setMaking(false)}
        />
      )}
    </div>
  );
}

const columns = (now: number): Column<SwarmChildDto>[] => [
  {
    head: t('Identity'),
    cell: (one) => (
      <>
        <a href={`#/identities/${one.identityId}`}>{one.displayName || one.name}</a>{' '}
        {one.tags.map((tag) => (
          <span key={tag} className="tag">
            {tag}
          </span>
        ))}
      </>
    ),
  },
  { head: t('Presence'), cell: (one) => (one.isActive ? words(one.presenceState) : t('inactive')) },
  {
    head: t('Run'),
    cell: (one) =>
      one.runId === null ? (
        '–'
      ) : (
        <a href={`#/runs/${one.runId}`}>{one.runStatus ? <RunStatus status={one.runStatus} /> : `#${one.runId}`}</a>
      ),
  },
  { head: t('Tokens'), num: true, cell: (one) => formatShort(one.tokensUsed) },
  { head: t('Cost'), num: true, cell: (one) => formatCost(one.costUsd) },
  {
    head: t('Last active'),
    className: 'small nowrap',
    cell: (one) => (one.lastActiveAtUtc ? formatAgo(one.lastActiveAtUtc, now) : t('never')),
  },
  {
    head: t('Expires'),
    className: 'small nowrap',
    cell: (one) => (one.expiresAtUtc ? formatDate(one.expiresAtUtc) : t('never')),
  },
];
