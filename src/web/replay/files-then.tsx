// The files that a run had written and changed at the moment of a replay.
import { Suspense } from 'react';
import { formatBytes, t } from '../base/i18n.ts';
import { lazyPart } from '../base/lazy-part.ts';
import { href, patchQuery, useLocation } from '../base/router.ts';
import type { RunView } from '../state/tree.ts';
import { Code } from '../ui/code.tsx';
import { Icon } from '../ui/icon.tsx';
import { Empty } from '../ui/states.tsx';
import { type ReplayedFile, replayedFiles } from './replayed-files.ts';

const Highlighted = lazyPart(
  () => import('../ui/highlight.tsx'),
  (part) => part.Highlighted,
);

export function FilesThen({ view, runs }: { view: RunView; runs: ReadonlyMap<number, RunView> }) {
  const path = useLocation().query.get('file');
  const { files, isPartial } = replayedFiles(view.id, runs);
  const shown = files.find((file) => file.path === path) ?? files.at(0);
  if (!shown)
    return (
      <Empty title={t('No files yet')}>
        {t(
          'Files that the run has written, that its commands have changed and that came with merged runs appear here.',
        )}
      </Empty>
    );
  return (
    <div className="files">
      <div className="files-list">
        <ul>
          {files.map((file) => (
            <li key={file.path}>
              <button
                type="button"
                className="file-item"
                aria-current={file === shown ? 'true' : undefined}
                onClick={() => patchQuery({ file: file.path })}
              >
                <Icon name="file" />
                <span className="truncate grow">{file.path}</span>
              </button>
            </li>
          ))}
        </ul>
        {isPartial && <p className="muted small">{t('Commands changed more files than their events name.')}</p>}
      </div>
      <div className="files-view stack tight">
        <ChangedBy file={shown} here={view.id} />
        {shown.content === null ? <NotShown file={shown} /> : <Text path={shown.path} text={shown.content} />}
      </div>
    </div>
  );
}

/** The call that changed the file last, as a way to its step; of another run, to that run. */
function ChangedBy({ file: { command, runId, seq }, here }: { file: ReplayedFile; here: number }) {
  const by = command ?? 'file_write';
  return (
    <p className="row small muted wrap">
      {command === null ? t('Written by') : t('Changed by')}
      {runId === here ? (
        <button type="button" className="link mono truncate" onClick={() => patchQuery({ tab: null, at: seq })}>
          {by}
        </button>
      ) : (
        <>
          <span className="mono truncate">{by}</span>
          <a href={href(`/runs/${runId}`, { at: seq })}>{t('Run #{id}', { id: runId })}</a>
        </>
      )}
    </p>
  );
}

function NotShown({ file: { path, sizeBytes, sha256 } }: { file: ReplayedFile }) {
  return (
    <div className="stack tight">
      <strong className="mono">{path}</strong>
      <p className="muted">
        {t('A binary or large file, or one that was changed after much text: its text is not in the events.')}
      </p>
      {sizeBytes !== null && <p className="muted small">{formatBytes(sizeBytes)}</p>}
      {sha256 && <p className="muted small mono files-digest">SHA-256 {sha256}</p>}
    </div>
  );
}

function Text({ path, text }: { path: string; text: string }) {
  return (
    <Code
      text={text}
      title={path}
      wrap={false}
      render={(shown) => (
        <Suspense fallback={shown}>
          <Highlighted text={shown} language={path.split('.').at(-1) ?? ''} />
        </Suspense>
      )}
    />
  );
}
