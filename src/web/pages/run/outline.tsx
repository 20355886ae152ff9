// The tree as an outline: each run with its state and what it used.
import { formatShort, plural, t } from '../../base/i18n.ts';
import type { RunView, Tree } from '../../state/tree.ts';
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
    <nav className="run-tree" aria-label={t('Tree of runs')}>
      <div className="row spread">
        <h2>{t('Tree')}</h2>
        <span className="faint small">{plural(tree.runs.size, '{n} run', '{n} runs')}</span>
      </div>
      <ul className="outline">
        {ordered(tree).map(({ view, depth }) => (
          <li key={view.id} style={{ paddingLeft: Math.min(depth, 5) * 12 }}>
            <a href={`#/runs/${view.id}`} aria-current={view.id === selected ? 'true' : undefined}>
              <span className="outline-goal">{view.run?.goal ?? `#${view.id}`}</span>
              {view.run && (
                <span className="row spread small">
                  <RunStatus status={view.run.status} />
                  <span className="faint num truncate">
                    #{view.id} · {formatShort(view.budget?.tokensUsed ?? view.run.tokensUsed)}
                  </span>
                </span>
              )}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
