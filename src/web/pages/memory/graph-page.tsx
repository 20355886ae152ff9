// Entities and how they relate: found, walked, the way between two, as it was at a moment, with who is central.
import '../../styles/people.css';
import '../../styles/memory.css';
import { useMemo, useState } from 'react';
import type { GraphNodeDto, GraphNodeKind, GraphSubgraphDto } from '../../../client/index.ts';
import { useCount } from '../../base/count.ts';
import { plural, t, words } from '../../base/i18n.ts';
import { patchFromHere, patchQuery, useLocation } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useEvery } from '../../state/every.ts';
import { useKept, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { NodeGraph } from '../../ui/node-graph.tsx';
import { SearchField } from '../../ui/search-field.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { type Column, Table } from '../../ui/table.tsx';
import { useChosenIdentity, useIdentities } from './chosen.tsx';
import { drawn, metricsOf } from './entities.ts';
import { EntityDialog, nodeKinds } from './entity-dialog.tsx';
import { EntityView } from './entity-view.tsx';
import { SectionLinks } from './section-links.tsx';
import { anyOr } from './vocabulary.ts';

const pageSize = 60;

export function GraphPage() {
  const { query } = useLocation();
  const patch = patchFromHere();
  const [making, setMaking] = useState(false);
  const identities = useIdentities();
  const identityId = useChosenIdentity(identities.data?.items);
  const nodeId = Number(query.get('node')) || null;
  const [changes, changed] = useCount();
  return (
    <div className="page">
      <div className="page-head">
        <h1>{t('Graph')}</h1>
        {may('GraphWrite') && (
          <Button kind="primary" icon="plus" onClick={() => setMaking(true)}>
            {t('New entity')}
          </Button>
        )}
      </div>
      <SectionLinks />
      <Asking nodeId={nodeId} />
      <div className="memory-columns" data-open={nodeId !== null} data-both="true">
        {nodeId === null && !query.get('q') ? (
          <Entities changes={changes} />
        ) : (
          <Neighbourhood nodeId={nodeId} changes={changes} />
        )}
        {nodeId !== null && <EntityView key={nodeId} id={nodeId} changes={changes} onChange={changed} />}
      </div>
      {making && (
        <EntityDialog
          identityId={identityId}
          onClose={() => setMaking(false)}
          onDone={(id) => patch({ node: id, to: null })}
        />
      )}
    </div>
  );
}

const kindIn = (query: URLSearchParams): GraphNodeKind | null =>
  nodeKinds.find((one) => one === query.get('kind')) ?? null;

/** What is drawn: from where, how far, of which kind, and as of when. */
function Asking({ nodeId }: { nodeId: number | null }) {
  const { query } = useLocation();
  const set = (name: string) => (value: string) => patchQuery({ [name]: value });
  return (
    <div className="memory-bar">
      <SearchField
        label={t('Search entities')}
        q={query.get('q') ?? ''}
        onSearch={(q) => patchQuery({ q, node: null, to: null })}
      />
      <SelectField label={t('Kind')} value={kindIn(query) ?? ''} onChange={set('kind')} options={anyOr(nodeKinds)} />
      {(nodeId !== null || query.get('q')) && (
        <>
          <SelectField
            label={t('How far')}
            value={query.get('depth') ?? '2'}
            onChange={set('depth')}
            options={['1', '2', '3', '4'].map((n) => [n, plural(Number(n), '{n} step', '{n} steps')] as const)}
          />
          <TextField label={t('As it was at')} type="date" value={query.get('at') ?? ''} onChange={set('at')} />
          <CheckField
            label={t('Who is central')}
            checked={query.get('central') !== null}
            onChange={(has) => patchQuery({ central: has ? 1 : null })}
          />
        </>
      )}
    </div>
  );
}

function Entities({ changes }: { changes: number }) {
  const { query } = useLocation();
  const kind = kindIn(query);
  const list = useKept(
    useResource(`entities ${kind} ${changes}`, () =>
      client.graph.nodes({ query: { pageSize, ...(kind ? { kind } : {}) } }),
    ),
  );
  // What is read from new memories comes without an event.
  useEvery(list.reload);
  return (
    <Loaded resource={list}>
      {({ items, totalCount }) =>
        items.length === 0 ? (
          <Empty title={kind ? t('No entity of this kind') : t('No entities yet')}>
            {t(
              'People, places and things that memories and facts name appear here with how they relate; you can add your own.',
            )}
          </Empty>
        ) : (
          <section className="stack" aria-label={t('Entities')}>
            <p className="small muted num">{plural(totalCount, '{n} entity', '{n} entities')}</p>
            <Table rows={items} keyOf={({ id }) => id} columns={entityColumns} />
          </section>
        )
      }
    </Loaded>
  );
}

const entityColumns: Column<GraphNodeDto>[] = [
  {
    head: t('Entity'),
    className: 'wide',
    cell: ({ id, name, aliases, description }) => (
      <>
        <button type="button" className="link fact-key" onClick={() => patchQuery({ node: id })}>
          {name}
        </button>
        {aliases.length > 0 && <span className="small muted"> {t('also {names}', { names: aliases.join(', ') })}</span>}
        {description && <div className="small muted clamp">{description}</div>}
      </>
    ),
  },
  { head: t('Kind'), cell: ({ kind }) => words(kind) },
  { head: t('Mentions'), num: true, cell: ({ mentionCount }) => mentionCount },
  { head: t('Relations'), num: true, cell: ({ degree }) => degree },
];

function Neighbourhood({ nodeId, changes }: { nodeId: number | null; changes: number }) {
  const { query } = useLocation();
  const target = Number(query.get('to')) || null;
  const kind = kindIn(query);
  const q = query.get('q') ?? '';
  const day = query.get('at');
  const asked = {
    ...(nodeId === null ? { q } : { nodeId }),
    ...(nodeId !== null && target !== null ? { targetNodeId: target } : {}),
    ...(kind ? { kind } : {}),
    ...(day ? { asOfUtc: new Date(`${day}T23:59:59`).toISOString() } : {}),
    ...(query.get('central') === null ? {} : { metrics: true }),
    depth: Number(query.get('depth')) || 2,
  };
  const found = useKept(
    useResource(`subgraph ${JSON.stringify(asked)} ${changes}`, () => client.graph.subgraph({ query: asked })),
  );
  return (
    <Loaded resource={found}>
      {(graph) =>
        graph.nodes.length === 0 ? (
          <Empty title={target === null ? t('Nothing found') : t('No way between them')}>
            {target === null
              ? t('Search for another name, or for what an entity is.')
              : t('Nothing relates the two, even over several steps, at that moment.')}
          </Empty>
        ) : (
          <Drawn graph={graph} current={nodeId} target={target} />
        )
      }
    </Loaded>
  );
}

interface DrawnProps {
  graph: GraphSubgraphDto;
  current: number | null;
  target: number | null;
}

const walkTo = (id: number) => patchQuery({ node: id, to: null });

function Drawn({ graph, current, target }: DrawnProps) {
  const { nodes, edges } = useMemo(() => drawn(graph), [graph]);
  const names = new Map(graph.nodes.map(({ id, name }) => [id, name]));
  return (
    <section className="stack" aria-label={t('Entities and relations')}>
      {target !== null && (
        <p role="status">
          <strong>{t('The shortest way')}</strong> {graph.pathNodeIds.map((id) => names.get(id) ?? '').join(' → ')}{' '}
          <Button size="small" onClick={() => patchQuery({ to: null })}>
            {t('Show all around it')}
          </Button>
        </p>
      )}
      <NodeGraph
        label={t('Entities and how they relate')}
        nodes={nodes}
        edges={edges}
        current={current}
        onWalk={walkTo}
      />
      {graph.truncated && <p className="small muted">{t('There is more: take fewer steps, or start elsewhere.')}</p>}
      {graph.metrics.length > 0 && <Central graph={graph} />}
      <details>
        <summary>{plural(graph.edges.length, '{n} relation as a list', '{n} relations as a list')}</summary>
        <ul className="plain-list">
          {graph.edges.map((edge) => (
            <li key={edge.id}>
              <button type="button" className="link" onClick={() => walkTo(edge.fromNodeId)}>
                {edge.fromName}
              </button>{' '}
              {edge.relation}{' '}
              <button type="button" className="link" onClick={() => walkTo(edge.toNodeId)}>
                {edge.toName}
              </button>
            </li>
          ))}
        </ul>
      </details>
    </section>
  );
}

const mostCentral = 10;

/** The most central first: much leads to them, or through them. */
function Central({ graph }: { graph: GraphSubgraphDto }) {
  const rows = metricsOf(graph).slice(0, mostCentral);
  return (
    <Table
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          head: t('Central entity'),
          cell: ({ id, name }) => (
            <button type="button" className="link" onClick={() => walkTo(id)}>
              {name}
            </button>
          ),
        },
        {
          head: t('Weight'),
          cell: ({ share }) => <progress value={share} max={1} aria-label={t('Weight')} />,
        },
        { head: t('Relations'), num: true, cell: ({ degree }) => degree },
        { head: t('Lies between'), num: true, cell: ({ betweenness }) => betweenness?.toFixed(2) ?? '–' },
        { head: t('Group'), num: true, cell: ({ community }) => community },
      ]}
    />
  );
}
