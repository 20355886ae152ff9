// Every recorded call of a model; one of them in full, with its attempts and how its model was chosen.
import { useState } from 'react';
import type { AICallDetailDto, AICallDto, AICallStatus } from '../../../client/index.ts';
import { formatDate, formatNumber, namesOf, t, words } from '../../base/i18n.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { saveAs } from '../../base/save.ts';
import { client } from '../../state/app.ts';
import { useFreeModels } from '../../state/free-models.ts';
import { useResource } from '../../state/resource.ts';
import { costOf } from '../../state/run-figures.ts';
import { Button } from '../../ui/button.tsx';
import { Json } from '../../ui/code.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField } from '../../ui/field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { State } from '../../ui/status.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { sayError } from '../../ui/toast.tsx';
import { DecisionView } from './decision-view.tsx';

const statuses: AICallStatus[] = ['Succeeded', 'Failed', 'TimedOut', 'Cancelled', 'RateLimited', 'Blocked'];
const ms = (value: number | null) => (value === null ? '–' : `${formatNumber(value)} ms`);

const figures: Column<AICallDto>[] = [
  { head: 'In', num: true, cell: (one) => formatNumber(one.promptTokens) },
  { head: 'Out', num: true, cell: (one) => formatNumber(one.completionTokens) },
  {
    head: 'Cost',
    num: true,
    cell: (one) => costOf(one.costUsd, one.promptTokens + one.completionTokens, one.modelId),
  },
  { head: 'Time to first token', num: true, cell: (one) => ms(one.timeToFirstTokenMs) },
  { head: 'Latency', num: true, cell: (one) => ms(one.latencyMs) },
];

export function Calls() {
  useFreeModels();
  const { query } = useLocation();
  const status = statuses.find((one) => one === query.get('status'));
  const list = useResource(`calls ${status ?? ''}`, () =>
    client.aiUsage.calls({ query: { pageSize: 100, sort: '-createdAtUtc', ...(status ? { status } : {}) } }),
  );
  const [shown, setShown] = useState<number | null>(null);
  const exportAll = () =>
    client.aiUsage
      .export()
      .then((response) => saveAs(response, 'calls.csv'))
      .catch(sayError);
  return (
    <div className="stack">
      <div className="row wrap end">
        <SelectField
          label={t('Status')}
          value={status ?? ''}
          onChange={(value) => patchQuery({ status: value })}
          options={[['', t('all')], ...namesOf(statuses)]}
        />
        <Button icon="down" onClick={() => void exportAll()}>
          {t('Export as CSV')}
        </Button>
      </div>
      <Loaded resource={list}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('No calls yet')}>
              {t('Each call of a run, a chat or the API is listed here, with what it cost.')}
            </Empty>
          ) : (
            <Table rows={items} keyOf={(one) => one.id} columns={columns(setShown)} />
          )
        }
      </Loaded>
      {shown !== null && <CallDialog id={shown} onClose={() => setShown(null)} />}
    </div>
  );
}

const columns = (onShow: (id: number) => void): Column<AICallDto>[] => [
  {
    head: t('Model'),
    className: 'mono',
    cell: (one) => (
      <button type="button" className="link" onClick={() => onShow(one.id)}>
        {one.modelId}
      </button>
    ),
  },
  { head: t('Status'), cell: (one) => <State name={one.status} /> },
  { head: t('Purpose'), cell: (one) => <Purpose call={one} /> },
  ...figures.map((column) => ({ ...column, head: t(column.head) })),
];

function Purpose({ call }: { call: AICallDto }) {
  return (
    <>
      {words(call.purpose)} {call.runId !== null && <a href={`#/runs/${call.runId}`}>#{call.runId}</a>}
      {call.chatSessionId !== null && <a href={`#/chat/${call.chatSessionId}`}>#{call.chatSessionId}</a>}
    </>
  );
}

function CallDialog({ id, onClose }: { id: number; onClose: () => void }) {
  const call = useResource(`call ${id}`, () => client.aiUsage.call({ params: { id } }));
  return (
    <Dialog wide title={t('Call {id}', { id })} onClose={onClose}>
      <Loaded resource={call}>{(one) => <CallView call={one} />}</Loaded>
    </Dialog>
  );
}

function CallView({ call }: { call: AICallDetailDto }) {
  return (
    <div className="stack">
      <p className="row wrap">
        <strong className="mono">{call.modelId}</strong>
        <State name={call.status} />
        <Purpose call={call} />
        <span className="muted small">{formatDate(call.createdAtUtc)}</span>
      </p>
      <h3>{t('Attempts')}</h3>
      <Table
        rows={call.attempts}
        keyOf={(one) => one.attempt}
        columns={[
          { head: '#', num: true, cell: (one) => one.attempt },
          { head: t('Provider'), cell: (one) => one.providerName },
          { head: t('Status'), cell: (one) => <State name={one.status} /> },
          { head: t('Time to first token'), num: true, cell: (one) => ms(one.timeToFirstTokenMs) },
          { head: t('All'), num: true, cell: (one) => ms(one.latencyMs) },
          { head: t('Error'), className: 'muted small', cell: (one) => one.error },
        ]}
      />
      {call.decision && (
        <>
          <h3>{t('Routing decision')}</h3>
          <DecisionView decision={call.decision} />
        </>
      )}
      {call.requestJson && (
        <>
          <h3>{t('Prompt')}</h3>
          <Json value={call.requestJson} />
        </>
      )}
      {call.responseJson && (
        <>
          <h3>{t('Answer')}</h3>
          <Json value={call.responseJson} />
        </>
      )}
    </div>
  );
}
