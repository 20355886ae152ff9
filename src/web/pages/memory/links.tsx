// The links of a memory: drawn as a graph that is walked from one to the next, and as a list.
import { useEffect, useMemo, useState } from 'react';
import type { HebbianLinkDto, MemoryDetailDto } from '../../../client/index.ts';
import { formatPercent, plural, t, words } from '../../base/i18n.ts';
import { patchQuery } from '../../base/router.ts';
import { client } from '../../state/app.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { NodeGraph } from '../../ui/node-graph.tsx';
import { Table } from '../../ui/table.tsx';
import { useAction } from '../../ui/use-action.ts';
import { LinkDialog } from './link-dialog.tsx';
import { seen, type Walked } from './walked.ts';

interface Props {
  memory: MemoryDetailDto;
  isOwn: boolean;
  onChange: () => void;
}

const walkTo = (id: number) => patchQuery({ memory: id });

export function Links({ memory, isOwn, onChange }: Props) {
  const [linking, setLinking] = useState(false);
  const links = [...memory.linksFrom, ...memory.linksTo];
  const { busy, act } = useAction();
  const change = (work: () => Promise<unknown>) => void act(work).then((done) => done && onChange());
  const otherOf = (link: HebbianLinkDto) =>
    link.fromMemoryId === memory.id
      ? { id: link.toMemoryId, title: link.toMemoryTitle }
      : { id: link.fromMemoryId, title: link.fromMemoryTitle };
  return (
    <div className="stack">
      {links.length === 0 ? (
        <p className="muted">
          {t('Nothing is linked with it yet. What is recalled together is linked by itself; you can link it, too.')}
        </p>
      ) : (
        <>
          <Walk memory={memory} />
          <Table
            rows={links}
            keyOf={({ id }) => id}
            columns={[
              {
                head: t('Linked memory'),
                className: 'wide',
                cell: (link) => (
                  <button type="button" className="link" onClick={() => walkTo(otherOf(link).id)}>
                    {otherOf(link).title}
                  </button>
                ),
              },
              {
                head: t('How'),
                cell: (link) =>
                  link.fromMemoryId === memory.id
                    ? words(link.type)
                    : t('{type}, from there', { type: words(link.type) }),
              },
              {
                head: t('Strength'),
                cell: ({ strength, coActivationCount }) => (
                  <span
                    className="row num"
                    title={plural(coActivationCount, 'strengthened {n} time', 'strengthened {n} times')}
                  >
                    <progress value={strength} max={1} aria-label={t('Strength')} />
                    {formatPercent(strength)}
                  </span>
                ),
              },
              {
                head: '',
                num: true,
                cell: (link) => {
                  const params = { id: memory.id, targetId: otherOf(link).id };
                  if (!isOwn) return null;
                  return (
                    <span className="row">
                      <IconButton
                        icon="plus"
                        label={t('Strengthen the link')}
                        disabled={busy}
                        onClick={() => change(() => client.memories.strengthen({ params, body: {} }))}
                      />
                      <IconButton
                        icon="close"
                        label={t('Drop the link')}
                        disabled={busy}
                        onClick={() => change(() => client.memories.unlink({ params }))}
                      />
                    </span>
                  );
                },
              },
            ]}
          />
        </>
      )}
      {isOwn && (
        <div>
          <Button size="small" icon="plus" onClick={() => setLinking(true)}>
            {t('Link with another')}
          </Button>
        </div>
      )}
      {linking && <LinkDialog memory={memory} onClose={() => setLinking(false)} onDone={onChange} />}
    </div>
  );
}

/** What was walked through so far stays drawn, so that the way back is there. */
function Walk({ memory }: { memory: MemoryDetailDto }) {
  const [walked, setWalked] = useState<Walked>(() => seen(memory));
  useEffect(() => setWalked(seen(memory)), [memory]);
  const nodes = useMemo(() => [...walked.nodes.values()], [walked]);
  const edges = useMemo(() => [...walked.edges.values()], [walked]);
  return (
    <NodeGraph
      label={t('Memories linked with “{title}”', { title: memory.title })}
      nodes={nodes}
      edges={edges}
      current={memory.id}
      onWalk={walkTo}
    />
  );
}
