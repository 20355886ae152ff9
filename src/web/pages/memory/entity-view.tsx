// One entity: how it relates, what names it, and the way to another one.
import { useState } from 'react';
import type { GraphEdgeDto, GraphNodeDetailDto } from '../../../client/index.ts';
import { formatDay, t, words } from '../../base/i18n.ts';
import { patchFromHere, patchQuery } from '../../base/router.ts';
import { client, may } from '../../state/app.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { CheckField } from '../../ui/field.tsx';
import { Loaded } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { RelateDialog, WayDialog } from './relate-dialog.tsx';

interface Props {
  id: number;
  changes: number;
  onChange: () => void;
}

export function EntityView({ id, changes, onChange }: Props) {
  const [includeExpired, setExpired] = useState(false);
  const detail = useKept(
    useResource(`entity ${id} ${includeExpired}`, () =>
      client.graph.node({ params: { id }, query: { includeExpired } }),
    ),
  );
  useReloadOn(changes, detail.reload);
  return (
    <section className="card memory-view" aria-label={t('Entity')}>
      <Loaded resource={detail}>
        {(node) => (
          <>
            <div className="card-head">
              <h2 className="grow memory-name">{node.name}</h2>
              <IconButton
                icon="close"
                label={t('Close the entity')}
                onClick={() => patchQuery({ node: null, to: null })}
              />
            </div>
            <div className="card-body stack">
              <Shown node={node} onChange={onChange} />
              <CheckField label={t('With relations that have ended')} checked={includeExpired} onChange={setExpired} />
            </div>
          </>
        )}
      </Loaded>
    </section>
  );
}

function Shown({ node, onChange }: { node: GraphNodeDetailDto; onChange: () => void }) {
  const { kind, aliases, description, memories, outgoing, incoming } = node;
  const relations = [...outgoing, ...incoming];
  return (
    <>
      <p className="small muted">
        {[words(kind), aliases.length > 0 && t('also {names}', { names: aliases.join(', ') })]
          .filter(Boolean)
          .join(' · ')}
      </p>
      {description && <p>{description}</p>}
      <Actions node={node} onChange={onChange} />
      <h3>{t('Relations')}</h3>
      {relations.length === 0 ? (
        <p className="muted">{t('Nothing is known of how it relates to others.')}</p>
      ) : (
        <ul className="memory-list">
          {relations.map((edge) => (
            <Relation key={edge.id} edge={edge} ownId={node.id} onChange={onChange} />
          ))}
        </ul>
      )}
      {memories.length > 0 && (
        <>
          <h3>{t('Memories that name it')}</h3>
          <ul className="plain-list">
            {memories.map((one) => (
              <li key={one.id}>
                <a href={`#/memory?identity=${one.identityId}&memory=${one.id}`}>{one.title}</a>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

interface RelationProps {
  edge: GraphEdgeDto;
  ownId: number;
  onChange: () => void;
}

function Relation({ edge, ownId, onChange }: RelationProps) {
  const { busy, act } = useAction();
  const isOut = edge.fromNodeId === ownId;
  const [otherId, other] = isOut ? [edge.toNodeId, edge.toName] : [edge.fromNodeId, edge.fromName];
  const span = [
    edge.validFromUtc && t('since {date}', { date: formatDay(edge.validFromUtc) }),
    edge.validUntilUtc && t('until {date}', { date: formatDay(edge.validUntilUtc) }),
    words(edge.provenance).toLowerCase(),
  ];
  const remove = () =>
    void act(() => client.graph.removeEdge({ params: { id: edge.id } })).then((done) => done && onChange());
  const link = (
    <button type="button" className="link" onClick={() => patchQuery({ node: otherId, to: null })}>
      {other}
    </button>
  );
  return (
    <li className="memory-twin">
      <span className="grow">
        {isOut ? (
          <>
            {edge.relation} {link}
          </>
        ) : (
          <>
            {link} {edge.relation} {t('it')}
          </>
        )}{' '}
        <span className="small muted">{span.filter(Boolean).join(' · ')}</span>
      </span>
      {may('GraphWrite') && <IconButton icon="close" label={t('Drop the relation')} disabled={busy} onClick={remove} />}
    </li>
  );
}

type Asking = 'relate' | 'way' | 'forget';

function Actions({ node, onChange }: { node: GraphNodeDetailDto; onChange: () => void }) {
  const [asking, setAsking] = useState<Asking | null>(null);
  const close = () => setAsking(null);
  const forget = async () => {
    const patch = patchFromHere();
    await client.graph.removeNode({ params: { id: node.id } });
    say(t('Deleted'));
    patch({ node: null, to: null });
    onChange();
  };
  return (
    <div className="row wrap">
      <Button size="small" onClick={() => setAsking('way')}>
        {t('Way to another')}
      </Button>
      {may('GraphWrite') && (
        <>
          <Button size="small" icon="plus" onClick={() => setAsking('relate')}>
            {t('Relate')}
          </Button>
          <Button size="small" kind="danger" onClick={() => setAsking('forget')}>
            {t('Delete')}
          </Button>
        </>
      )}
      {asking === 'relate' && <RelateDialog node={node} onClose={close} onDone={onChange} />}
      {asking === 'way' && <WayDialog node={node} onClose={close} />}
      {asking === 'forget' && (
        <Confirm
          title={t('Delete the entity {name}?', { name: node.name })}
          action={t('Delete')}
          onConfirm={forget}
          onClose={close}
        >
          <p>{t('Its relations go with it. What memories say of it stays, and may bring it back.')}</p>
        </Confirm>
      )}
    </div>
  );
}
