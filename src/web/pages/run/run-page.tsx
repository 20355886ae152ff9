// A run as one workspace: the river on top, the tree left, what happened in the middle, the selected step right.

import { Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { t } from '../../base/i18n.ts';
import { useShortcuts } from '../../base/keys.ts';
import { lazyPart } from '../../base/lazy-part.ts';
import { useNarrow } from '../../base/narrow.ts';
import { go, patchQuery, useLocation } from '../../base/router.ts';
import { useVersion } from '../../base/store.ts';
import { useTitle } from '../../base/title.ts';
import { ReplayBar } from '../../replay/replay-bar.tsx';
import { type Replay, useReplay } from '../../replay/use-replay.ts';
import { River } from '../../river/river.tsx';
import { hasEnded } from '../../state/runs.ts';
import { openTree, type RunView, type Tree } from '../../state/tree.ts';
import { entryAt } from '../../timeline/timeline.ts';
import { Empty, Failure, Skeleton } from '../../ui/states.tsx';
import { type TabItem, Tabs } from '../../ui/tabs.tsx';
import type { PageProps } from '../page-props.ts';
import { BudgetBar } from './budget-bar.tsx';
import { FindBar } from './find/find-bar.tsx';
import { useFind } from './find/use-find.ts';
import { NextSteps } from './next-steps.tsx';
import { OpenGates } from './open-gates.tsx';
import { Outline } from './outline.tsx';
import { RunHead } from './run-head.tsx';
import { RunOverview } from './run-overview.tsx';
import { Steer } from './steer.tsx';
import { StepPanel } from './step-panel.tsx';
import { TimelineView } from './timeline-view.tsx';

const Terminal = lazyPart(
  () => import('./terminal.tsx'),
  (part) => part.TerminalTab,
);
const Files = lazyPart(
  () => import('./files.tsx'),
  (part) => part.FilesTab,
);
const FilesThen = lazyPart(
  () => import('../../replay/files-then.tsx'),
  (part) => part.FilesThen,
);
const Diff = lazyPart(
  () => import('./diff.tsx'),
  (part) => part.DiffTab,
);
const About = lazyPart(
  () => import('./about.tsx'),
  (part) => part.AboutTab,
);
const Talk = lazyPart(
  () => import('./talk.tsx'),
  (part) => part.TalkTab,
);
const Checkpoints = lazyPart(
  () => import('./checkpoints.tsx'),
  (part) => part.CheckpointsTab,
);
const Councils = lazyPart(
  () => import('./councils.tsx'),
  (part) => part.CouncilsTab,
);

/** Below this width the columns are tabs, and the selected step lies over the page. */
const columnsFrom = 1000;

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

type TabKey =
  | 'timeline'
  | 'tree'
  | 'overview'
  | 'terminal'
  | 'files'
  | 'diff'
  | 'talk'
  | 'checkpoints'
  | 'councils'
  | 'about';

/** Tabs whose content follows the moment of a replay. */
const replayed: ReadonlySet<TabKey> = new Set(['timeline', 'tree', 'overview', 'files', 'councils']);

function tabsOf(view: RunView, tree: Tree, narrow: boolean): TabItem<TabKey>[] {
  const has = (key: TabKey, title: string, when: boolean, count: number | null = null): TabItem<TabKey>[] =>
    when ? [{ key, label: t(title), count }] : [];
  const { marks, councils } = view.track;
  return [
    ...has('timeline', 'Timeline', true),
    ...has('tree', 'Tree', narrow && tree.runs.size > 1, tree.runs.size),
    ...has('overview', 'Overview', narrow),
    ...has('terminal', 'Terminal', true),
    ...has('files', 'Files', true),
    ...has('diff', 'Diff', view.run?.reviewBranch != null),
    ...has('talk', 'Notes and tasks', true),
    ...has('councils', 'Councils', councils.length > 0, councils.length),
    ...has('checkpoints', 'Checkpoints', true, marks.filter((mark) => mark.kind === 'checkpoint').length),
    ...has('about', 'Details', true),
  ];
}

export function RunPage({ params }: PageProps) {
  const id = Number(params.id);
  const tree = useTree(id);
  return tree ? <RunOf id={id} tree={tree} /> : <Skeleton rows={12} />;
}

function RunOf({ id, tree: live }: { id: number; tree: Tree }) {
  useVersion(live);
  const { replay, begin } = useReplay(live);
  const tree = replay?.tree ?? live;
  const { query } = useLocation();
  const seq = Number(query.get('at')) || null;
  const narrow = useNarrow(columnsFrom);
  const view = tree.runs.get(id);
  const goal = live.runs.get(id)?.run?.goal.split('\n')[0];
  useTitle(goal ? `${goal} · #${id}` : t('Run #{id}', { id }));
  const labelOf = useMemo(() => (runId: number) => label(tree.runs.get(runId), runId), [tree]);
  if (live.error && !view?.run)
    return <Failure isPage error={live.error} back={{ href: '#/runs', label: t('Go to runs') }} />;
  if (live.rootId === null || !live.runs.get(id)?.run) return <Skeleton rows={12} />;
  const tracks = () => Array.from(tree.runs.values(), (one) => one.track);
  const select = (target: { runId: number; seq: number | null }) => {
    const next = { ...Object.fromEntries(query), at: target.seq, tab: null };
    go(`/runs/${target.runId}`, next, target.runId === id ? 'replace' : 'push');
  };
  const selected = view ? entryAt(view.timeline, seq) : null;
  // Diffs, files, terminals and tables get the width they need.
  const wide = (query.get('tab') ?? 'timeline') !== 'timeline' && !selected;
  return (
    <div className="page run-page">
      {view && <RunHead view={view} tree={tree} onReplay={replay ? null : begin} />}
      {replay && <ReplayBar replay={replay} />}
      <River
        changing={tree}
        tracks={tracks}
        rootId={live.rootId}
        labelOf={labelOf}
        selected={{ runId: id, seq }}
        onSelect={select}
        {...(replay && { now: () => replay.at, until: replay.times.at(-1) })}
      />
      {!replay && view && <Present view={view} tree={tree} id={id} />}
      {view ? (
        <div className="run-body" data-tree={!narrow && tree.runs.size > 1} data-wide={wide}>
          {!narrow && tree.runs.size > 1 && <Outline tree={tree} selected={id} />}
          <section className="run-main">
            <RunTabs view={view} tree={tree} seq={seq} narrow={narrow} replay={replay} labelOf={labelOf} />
          </section>
          {selected ? (
            <StepPanel key={selected.key} entry={selected} view={view} />
          ) : (
            !narrow &&
            !wide && (
              // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keys
              <aside className="run-side" aria-label={t('Overview')} tabIndex={0}>
                <RunOverview view={view} />
              </aside>
            )
          )}
        </div>
      ) : (
        <Empty title={t('Not begun yet')}>{t('This run began later than the moment that is shown.')}</Empty>
      )}
    </div>
  );
}

/** What asks for an action now, which a replay has no use for. */
function Present({ view, tree, id }: { view: RunView; tree: Tree; id: number }) {
  return (
    <>
      <NextSteps />
      {view.run && <BudgetBar run={view.run} />}
      <OpenGates runIds={[...tree.runs.keys()]} here={id} />
    </>
  );
}

interface TabsProps {
  view: RunView;
  tree: Tree;
  seq: number | null;
  narrow: boolean;
  replay: Replay | null;
  labelOf: (runId: number) => string;
}

function RunTabs({ view, tree, seq, narrow, replay, labelOf }: TabsProps) {
  const { query } = useLocation();
  const items = tabsOf(view, tree, narrow).filter(({ key }) => !replay || replayed.has(key));
  const wanted = query.get('tab') as TabKey | null;
  const active = items.find((item) => item.key === wanted)?.key ?? 'timeline';
  const run = view.run;
  if (!run) return null;
  return (
    <>
      <Tabs
        label={t('Run sections')}
        items={items}
        active={active}
        onChange={(key) => patchQuery({ tab: key === 'timeline' ? null : key })}
      />
      {active === 'timeline' ? (
        <>
          {replay ? (
            <TimelineView key={view.id} view={view} changing={tree} seq={seq} gaps={tree.gaps} />
          ) : (
            <Searched view={view} tree={tree} seq={seq} labelOf={labelOf} />
          )}
          {!replay && !hasEnded(run) && <Steer run={run} />}
        </>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keys
        <section className="run-tab" aria-label={items.find(({ key }) => key === active)?.label} tabIndex={0}>
          <Suspense fallback={<Skeleton />}>
            {active === 'tree' && <Outline tree={tree} selected={view.id} />}
            {active === 'overview' && <RunOverview view={view} />}
            {active === 'terminal' && <Terminal key={view.id} view={view} />}
            {active === 'files' && (replay ? <FilesThen view={view} runs={tree.runs} /> : <Files runId={run.id} />)}
            {active === 'diff' && <Diff run={run} />}
            {active === 'talk' && <Talk runId={run.id} />}
            {active === 'councils' && <Councils runId={run.id} count={view.track.councils.length} until={replay?.at} />}
            {active === 'checkpoints' && <Checkpoints run={run} />}
            {active === 'about' && <About run={run} />}
          </Suspense>
        </section>
      )}
    </>
  );
}

/** The timeline with the search in the events of the tree; what is found may be in another run of it. */
function Searched({ view, tree, seq, labelOf }: Pick<TabsProps, 'view' | 'tree' | 'seq' | 'labelOf'>) {
  const find = useFind(tree, view.id);
  useShortcuts(find.isOpen ? [] : [{ keys: 'f', label: t('Search in events'), run: find.open }]);
  return (
    <>
      {find.isOpen && <FindBar find={find} runIds={[...tree.runs.keys()]} labelOf={labelOf} />}
      <TimelineView
        key={view.id}
        view={view}
        changing={tree}
        seq={seq}
        gaps={tree.gaps}
        find={{ isOpen: find.isOpen, toggle: find.isOpen ? find.close : find.open }}
      />
    </>
  );
}
