// The files of a run's workspace, with a viewer.

import { Suspense, useState } from 'react';
import type { AgentRunFileInfo } from '../../../client/index.ts';
import { formatBytes, formatDate, t } from '../../base/i18n.ts';
import { lazyPart } from '../../base/lazy-part.ts';
import { patchQuery, useLocation } from '../../base/router.ts';
import { saveAs } from '../../base/save.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Code } from '../../ui/code.tsx';
import { Icon } from '../../ui/icon.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { sayError } from '../../ui/toast.tsx';

const Highlighted = lazyPart(
  () => import('../../ui/highlight.tsx'),
  (part) => part.Highlighted,
);

const nameOf = (path: string) => path.split('/').at(-1) ?? path;

const download = (runId: number, path: string) =>
  client.agentRunFiles
    .download({ params: { runId }, query: { path } })
    .then((response) => saveAs(response, nameOf(path)))
    .catch(sayError);

export function FilesTab({ runId }: { runId: number }) {
  const { query } = useLocation();
  const path = query.get('file');
  const [folder, setFolder] = useState('');
  const files = useResource(`files ${runId} ${folder}`, () =>
    client.agentRunFiles.list({ params: { runId }, query: folder ? { path: folder } : {} }),
  );
  const open = (file: AgentRunFileInfo) => (file.isDirectory ? setFolder(file.path) : patchQuery({ file: file.path }));
  return (
    <div className="files">
      <div className="files-list">
        <div className="row small">
          <IconButton
            icon="back"
            label={t('Parent folder')}
            disabled={!folder}
            onClick={() => setFolder(folder.split('/').slice(0, -1).join('/'))}
          />
          <span className="mono truncate grow">/{folder}</span>
          <IconButton icon="refresh" label={t('Refresh')} onClick={files.reload} />
        </div>
        <Loaded resource={files}>
          {(items) => (
            <ul>
              {[...items]
                .sort((a, b) => Number(b.isDirectory) - Number(a.isDirectory) || a.name.localeCompare(b.name))
                .map((file) => (
                  <li key={file.path}>
                    <button
                      type="button"
                      className="file-item"
                      aria-current={file.path === path ? 'true' : undefined}
                      onClick={() => open(file)}
                    >
                      <Icon name={file.isDirectory ? 'folder' : 'file'} />
                      <span className="truncate grow">{file.name}</span>
                      {!file.isDirectory && <span className="faint small num">{formatBytes(file.sizeBytes)}</span>}
                    </button>
                  </li>
                ))}
              {items.length === 0 && (
                <li className="muted small" style={{ padding: 8 }}>
                  {t('No files here.')}
                </li>
              )}
            </ul>
          )}
        </Loaded>
      </div>
      <div className="files-view">
        {path ? (
          <Viewer runId={runId} path={path} />
        ) : (
          <Empty title={t('No file selected')}>{t('Select a file to view it.')}</Empty>
        )}
      </div>
    </div>
  );
}

function Viewer({ runId, path }: { runId: number; path: string }) {
  const file = useResource(`file ${runId} ${path}`, () =>
    client.agentRunFiles.read({ params: { runId }, query: { path } }),
  );
  const language = path.split('.').at(-1) ?? '';
  return (
    <Loaded resource={file}>
      {(content) => (
        <div className="stack">
          <div className="row wrap">
            <strong className="mono">{path}</strong>
            <span className="faint small">
              {formatBytes(content.sizeBytes)} · {formatDate(content.modifiedAtUtc)}
            </span>
            <span className="grow" />
            <Button size="small" icon="down" onClick={() => void download(runId, path)}>
              {t('Download')}
            </Button>
          </div>
          {content.isBinary || content.text === null ? (
            <p className="muted">{t('A binary file; download it to look at it.')}</p>
          ) : (
            <Code
              text={content.text}
              wrap={false}
              render={(shown) => (
                <Suspense fallback={shown}>
                  <Highlighted text={shown} language={language} />
                </Suspense>
              )}
            />
          )}
          {content.truncated && <p className="muted small">{t('Truncated; download the file for the rest.')}</p>}
        </div>
      )}
    </Loaded>
  );
}
