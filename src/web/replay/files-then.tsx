// The files that a run had written at the moment of a replay.
import { Suspense } from 'react';
import { t } from '../base/i18n.ts';
import { lazyPart } from '../base/lazy-part.ts';
import { patchQuery, useLocation } from '../base/router.ts';
import type { RunView } from '../state/tree.ts';
import { Code } from '../ui/code.tsx';
import { Icon } from '../ui/icon.tsx';
import { Empty } from '../ui/states.tsx';
import { writtenFiles } from './written-files.ts';

const Highlighted = lazyPart(
  () => import('../ui/highlight.tsx'),
  (part) => part.Highlighted,
);

export function FilesThen({ view }: { view: RunView }) {
  const path = useLocation().query.get('file');
  const files = writtenFiles(view.timeline.entries);
  const shown = files.find((file) => file.path === path) ?? files.at(0);
  if (!shown)
    return (
      <Empty title={t('No files yet')}>
        {t('Files that the run has written with file_write appear here. What commands changed is not in its events.')}
      </Empty>
    );
  return (
    <div className="files">
      <ul className="files-list">
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
      <div className="files-view">
        <Code
          text={shown.content}
          title={shown.path}
          wrap={false}
          render={(text) => (
            <Suspense fallback={text}>
              <Highlighted text={text} language={shown.path.split('.').at(-1) ?? ''} />
            </Suspense>
          )}
        />
      </div>
    </div>
  );
}
