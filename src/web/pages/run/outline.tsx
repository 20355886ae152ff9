// The tree as an outline: each run with its state and what it used.
import { formatCost, formatShort, plural, t } from '../../base/i18n.ts';
import type { RunView, Tree } from '../../state/tree.ts';
import { Meter } from '../../ui/meter.tsx';
import { RunStatus } from '../../ui/status.tsx';

/** Depth first, children in the order of their birth. */
function ordered(tree: Tree): { view: RunView; depth: number }[] {
  const children = new Map<number, RunView[]>();
  for (const view of tree.runs.values()) {
    const parent = view.run?.parentRunId ?? view.track.parentRunId;
    if (parent !== null) children.set(parent, [...(children.get(parent) ?? []), view]);
  }
  const result: { view: RunView; depth: number }[] = [];
  const visit = (view: RunView | undefined, depth: number) => {
    if (!view) return;
    result.push({ view, depth });
    for (const child of (children.get(view.id) ?? []).sort((a, b) => a.id - b.id)) visit(child, depth + 1);
  };
  visit(tree.runs.get(tree.rootId ?? -1), 0);
  return result;
}

export function Outline({ tree, selected }: { tree: Tree; selected: number }) {
  return (
    <section className="card" aria-label={t('Tree of runs')}>
      <div className="card-head">
        <h3>{t('Tree')}</h3>
        <span className="faint small">{plural(tree.runs.size, '{n} run', '{n} runs')}</span>
      </div>
      <ul className="outline">
        {ordered(tree).map(({ view, depth }) => (
          <li key={view.id} style={{ paddingLeft: 12 + depth * 16 }}>
            <a href={`#/runs/${view.id}`} aria-current={view.id === selected ? 'true' : undefined}>
              <span className="row spread">
                <span className="truncate">{view.run?.goal ?? `#${view.id}`}</span>
                {view.run && <RunStatus status={view.run.status} />}
              </span>
              {view.run && (
                <span className="row small faint num">
                  #{view.id} {view.run.role} · {formatShort(view.budget?.tokensUsed ?? view.run.tokensUsed)} ·{' '}
                  {formatCost(view.budget?.costUsd ?? view.run.costUsd)}
                </span>
              )}
              {view.run && (
                <Meter
                  bare
                  label={t('Tokens')}
                  used={view.budget?.tokensUsed ?? view.run.tokensUsed}
                  limit={view.run.maxTokens}
                />
              )}
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
