// A run: the river on top, what happened below, its state and controls beside.
import { lazy, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { formatCost, formatShort, t, words } from '../../base/i18n.ts';
import { go, patchQuery, useLocation } from '../../base/router.ts';
import { useVersion } from '../../base/store.ts';
import { River } from '../../river/river.tsx';
import { hasEnded } from '../../state/runs.ts';
import { openTree, type RunView, type Tree } from '../../state/tree.ts';
import { Copyable } from '../../ui/code.tsx';
import { MarkdownLine } from '../../ui/markdown.tsx';
import { Failure, Skeleton } from '../../ui/states.tsx';
import { RunStatus } from '../../ui/status.tsx';
import { type TabItem, Tabs } from '../../ui/tabs.tsx';
import type { PageProps } from '../page-props.ts';
import { OpenGates } from './open-gates.tsx';
import { Outline } from './outline.tsx';
import { RunActions } from './run-actions.tsx';
import { RunMeters } from './run-meters.tsx';
import { Steer } from './steer.tsx';
import { TimelineView } from './timeline-view.tsx';

const Terminal = lazy(() => import('./terminal.tsx').then((module) => ({ default: module.TerminalTab })));
const Files = lazy(() => import('./files.tsx').then((module) => ({ default: module.FilesTab })));
const Diff = lazy(() => import('./diff.tsx').then((module) => ({ default: module.DiffTab })));
const About = lazy(() => import('./about.tsx').then((module) => ({ default: module.AboutTab })));
const Talk = lazy(() => import('./talk.tsx').then((module) => ({ default: module.TalkTab })));
const Checkpoints = lazy(() => import('./checkpoints.tsx').then((module) => ({ default: module.CheckpointsTab })));
const Councils = lazy(() => import('./councils.tsx').then((module) => ({ default: module.CouncilsTab })));

/** The tree of a run; while the reader goes from run to run within it, it stays. Null for a moment at first. */
function useTree(id: number): Tree | null {
  const [tree, setTree] = useState<Tree | null>(null);
  const open = useRef<Tree | null>(null);
  useEffect(() => {
    if (open.current?.runs.has(id)) return;
    open.current?.close();
    open.current = openTree(id);
    setTree(open.current);
  }, [id]);
  useEffect(
    () => () => {
      open.current?.close();
      open.current = null;
    },
    [],
  );
  return tree;
}

const label = (view: RunView | undefined, id: number) => {
  const goal = view?.run?.goal.split('\n')[0] ?? '';
  return `#${id} ${view?.run?.role ?? ''} ${goal.length > 70 ? `${goal.slice(0, 69)}…` : goal}`.replace(/\s+/g, ' ');
};

type TabKey = 'timeline' | 'terminal' | 'files' | 'diff' | 'talk' | 'checkpoints' | 'councils' | 'about';

function tabsOf(view: RunView): TabItem<TabKey>[] {
  const has = (key: TabKey, title: string, when: boolean, count: number | null = null): TabItem<TabKey>[] =>
    when ? [{ key, label: t(title), count }] : [];
  const { marks, councils } = view.track;
  return [
    ...has('timeline', 'Timeline', true),
    ...has('terminal', 'Terminal', true),
    ...has('files', 'Files', true),
    ...has('diff', 'Diff', view.run?.reviewBranch != null),
    ...has('talk', 'Notes and tasks', true),
    ...has('councils', 'Councils', councils.length > 0, councils.length),
    ...has('checkpoints', 'Checkpoints', true, marks.filter((mark) => mark.kind === 'checkpoint').length),
    ...has('about', 'About', true),
  ];
}

export function RunPage({ params }: PageProps) {
  const id = Number(params.id);
  const tree = useTree(id);
  return tree ? <RunOf id={id} tree={tree} /> : <Skeleton rows={12} />;
}

function RunOf({ id, tree }: { id: number; tree: Tree }) {
  useVersion(tree);
  const { query } = useLocation();
  const seq = Number(query.get('at')) || null;
  const view = tree.runs.get(id);
  const labelOf = useMemo(() => (runId: number) => label(tree.runs.get(runId), runId), [tree]);
  if (tree.error && !view?.run) return <Failure error={tree.error} back={{ href: '#/runs', label: t('Go to runs') }} />;
  if (!view?.run || tree.rootId === null) return <Skeleton rows={12} />;
  const tracks = () => Array.from(tree.runs.values(), (one) => one.track);
  const select = (target: { runId: number; seq: number | null }) => {
    const next = { ...Object.fromEntries(query), at: target.seq, tab: null };
    go(`/runs/${target.runId}`, next, target.runId === id ? 'replace' : 'push');
  };
  return (
    <div className="page run-page">
      <RunHead view={view} tree={tree} />
      <River
        changing={tree}
        tracks={tracks}
        rootId={tree.rootId}
        labelOf={labelOf}
        selected={{ runId: id, seq }}
        onSelect={select}
      />
      <OpenGates runIds={[...tree.runs.keys()]} here={id} />
      <div className="run-body">
        <section className="run-main">
          <RunTabs view={view} tree={tree} seq={seq} />
        </section>
        <aside className="run-side">
          <RunMeters view={view} />
          {tree.runs.size > 1 && <Outline tree={tree} selected={id} />}
        </aside>
      </div>
    </div>
  );
}

function RunHead({ view, tree }: { view: RunView; tree: Tree }) {
  const run = view.run;
  if (!run) return null;
  const [first = '', ...rest] = run.goal.split('\n');
  return (
    <header className="run-head">
      <div className="grow stack tight">
        <div className="row wrap">
          <RunStatus status={run.status} />
          <Copyable text={String(run.id)}>#{run.id}</Copyable>
          <span className="muted">{run.role}</span>
          {run.modelId && <Copyable text={run.modelId} />}
          {run.modelId?.startsWith('scripted:') && <span className="tag">{t('scripted, not a real model')}</span>}
          {run.failureReason && <span className="muted">{words(run.failureReason)}</span>}
        </div>
        <h1 className="run-goal">{first}</h1>
        {rest.join('').trim() && (
          <details className="muted">
            <summary>{t('Whole goal')}</summary>
            <pre className="goal-text">{run.goal}</pre>
          </details>
        )}
        {run.progressSummary && (
          <p className="muted">
            <MarkdownLine text={run.progressSummary} />
          </p>
        )}
      </div>
      <div className="run-figures num" title={t('Cost and tokens of the whole tree')}>
        <strong>{formatCost(view.budget?.totalCostWithChildren ?? run.totalCostWithChildren ?? run.costUsd)}</strong>
        <span className="muted">
          {t('{n} tokens', { n: formatShort(run.totalTokensWithChildren || run.tokensUsed) })}
        </span>
      </div>
      <RunActions run={run} tree={tree} />
    </header>
  );
}

function RunTabs({ view, tree, seq }: { view: RunView; tree: Tree; seq: number | null }) {
  const { query } = useLocation();
  const items = tabsOf(view);
  const wanted = query.get('tab') as TabKey | null;
  const active = items.find((item) => item.key === wanted)?.key ?? 'timeline';
  const run = view.run;
  if (!run) return null;
  return (
    <>
      <Tabs
        label={t('Parts of the run')}
        items={items}
        active={active}
        onChange={(key) => patchQuery({ tab: key === 'timeline' ? null : key })}
      />
      <Suspense fallback={<Skeleton />}>
        {active === 'timeline' && (
          <>
            <TimelineView key={view.id} view={view} changing={tree} seq={seq} gaps={tree.gaps} />
            {!hasEnded(run) && <Steer run={run} />}
          </>
        )}
        {active === 'terminal' && <Terminal key={view.id} view={view} />}
        {active === 'files' && <Files runId={run.id} />}
        {active === 'diff' && <Diff run={run} />}
        {active === 'talk' && <Talk runId={run.id} />}
        {active === 'councils' && <Councils runId={run.id} />}
        {active === 'checkpoints' && <Checkpoints run={run} />}
        {active === 'about' && <About run={run} />}
      </Suspense>
    </>
  );
}
