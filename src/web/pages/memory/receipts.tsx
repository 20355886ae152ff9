// What sessions of an identity really started with, newest first.
import { useState } from 'react';
import type { HydrationReceiptDto } from '../../../client/index.ts';
import { useNow } from '../../base/clock.ts';
import { formatAgo, formatNumber, plural, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useEvery } from '../../state/every.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Loaded } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { Receipt, type Removed } from './receipt.tsx';

export function Receipts({ identityId }: { identityId: number }) {
  const now = useNow();
  const [open, setOpen] = useState<HydrationReceiptDto | null>(null);
  const list = useKept(
    useResource(`receipts ${identityId}`, () =>
      client.hydration.receipts({ params: { identityId }, query: { pageSize: 20 } }),
    ),
  );
  useEvery(list.reload);
  return (
    <section className="stack" aria-label={t('Sessions so far')}>
      <h2>{t('What sessions started with')}</h2>
      <Loaded resource={list} rows={2}>
        {({ items }) => {
          const begun = items.filter(({ runId, chatSessionId }) => runId !== null || chatSessionId !== null);
          if (begun.length === 0)
            return (
              <p className="muted">
                {t('The receipts of runs and chats of this identity stand here, once there are some.')}
              </p>
            );
          return (
            <Table
              rows={begun}
              keyOf={({ id }) => id}
              columns={[
                { head: t('Session'), cell: (one) => <SessionLink of={one} /> },
                {
                  head: t('When'),
                  className: 'small nowrap',
                  cell: ({ createdAtUtc }) => formatAgo(createdAtUtc, now),
                },
                {
                  head: t('Items'),
                  num: true,
                  cell: ({ items: told }) => told.filter((one) => one.leftOut === null).length,
                },
                { head: t('Tokens'), num: true, cell: ({ tokenEstimate }) => formatNumber(tokenEstimate) },
                {
                  head: '',
                  num: true,
                  cell: (one) => (
                    <Button size="small" onClick={() => setOpen(one)}>
                      {t('Receipt')}
                    </Button>
                  ),
                },
              ]}
            />
          );
        }}
      </Loaded>
      {open && <ReceiptDialog identityId={identityId} receipt={open} onClose={() => setOpen(null)} />}
    </section>
  );
}

export function SessionLink({ of: { runId, chatSessionId } }: { of: HydrationReceiptDto }) {
  if (runId !== null) return <a href={`#/runs/${runId}`}>{t('Run {id}', { id: runId })}</a>;
  return <a href={`#/chat/${chatSessionId}`}>{t('Chat {id}', { id: chatSessionId ?? 0 })}</a>;
}

interface DialogProps {
  identityId: number;
  receipt: HydrationReceiptDto;
  onClose: () => void;
}

/** The receipt, and what the session would have started with had something been left out. */
function ReceiptDialog({ identityId, receipt, onClose }: DialogProps) {
  const [removed, setRemoved] = useState<Removed>([]);
  const replay = useKept(
    useResource(removed.length === 0 ? null : `replay of session ${receipt.id} ${JSON.stringify(removed)}`, () =>
      client.hydration.replay({ params: { identityId, id: receipt.id }, body: { without: [...removed] } }),
    ),
  );
  const shown = removed.length > 0 ? replay.data : null;
  return (
    <Dialog wide title={t('Receipt')} onClose={onClose}>
      <p className="muted" role="status">
        {shown
          ? t('Without what is not ticked, from what is there now: {n} tokens.', {
              n: formatNumber(shown.tokenEstimate),
            })
          : plural(receipt.tokenEstimate, '{n} token', '{n} tokens')}
      </p>
      <Receipt
        items={receipt.items}
        removed={removed}
        onToggle={({ kind, id }) =>
          setRemoved((all) =>
            all.some((one) => one.kind === kind && one.id === id)
              ? all.filter((one) => one.kind !== kind || one.id !== id)
              : [...all, { kind, id }],
          )
        }
      />
    </Dialog>
  );
}
