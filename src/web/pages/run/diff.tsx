// Reviews what the run changed.

import { useState } from 'react';
import type { AgentRunDto, RunDiffFileDto } from '../../../client/index.ts';
import { formatNumber, plural, t, words } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useReloadOn, useResource } from '../../state/resource.ts';
import { Copyable } from '../../ui/code.tsx';
import { DiffLines } from '../../ui/diff-lines.tsx';
import { type PatchFile, readPatch } from '../../ui/patch.ts';
import { Empty, Loaded } from '../../ui/states.tsx';

export function DiffTab({ run }: { run: AgentRunDto }) {
  const diff = useResource(`diff ${run.id}`, () => client.agentRunFiles.diff({ params: { runId: run.id } }));
  useReloadOn(`${run.status} ${run.iterationsUsed}`, diff.reload);
  return (
    <Loaded resource={diff}>
      {(data) =>
        data.filesChanged === 0 ? (
          <Empty title={t('No changes')}>{t('The run’s branch is the same as its base.')}</Empty>
        ) : (
          <div className="stack diff" data-testid="diff">
            <div className="row wrap">
              <strong>{plural(data.filesChanged, '{n} file changed', '{n} files changed')}</strong>
              <span className="diff-plus num">+{formatNumber(data.additions)}</span>
              <span className="diff-minus num">−{formatNumber(data.deletions)}</span>
              {data.branch && <Copyable text={data.branch} />}
            </div>
            {data.truncated && (
              <div className="banner" data-tone="warn">
                {t('The diff is longer than what is shown.')}
              </div>
            )}
            <Files files={data.files} patch={readPatch(data.patch ?? '')} />
          </div>
        )
      }
    </Loaded>
  );
}

function Files({ files, patch }: { files: RunDiffFileDto[]; patch: PatchFile[] }) {
  return files.map((file) => (
    <FileDiff key={file.path} file={file} patch={patch.find((one) => one.path === file.path)} />
  ));
}

/** Longer diffs of one file start folded. */
const foldAbove = 400;

function FileDiff({ file, patch }: { file: RunDiffFileDto; patch: PatchFile | undefined }) {
  const [open, setOpen] = useState(file.additions + file.deletions <= foldAbove);
  return (
    <section className="card diff-file">
      <div className="card-head">
        <button type="button" className="link mono truncate" aria-expanded={open} onClick={() => setOpen(!open)}>
          {file.previousPath && file.previousPath !== file.path ? `${file.previousPath} → ` : ''}
          {file.path}
        </button>
        <span className="row small">
          <span className="tag">{words(file.changeType)}</span>
          <span className="diff-plus num">+{file.additions}</span>
          <span className="diff-minus num">−{file.deletions}</span>
        </span>
      </div>
      {open && file.isBinary && <p className="card-body muted">{t('A binary file.')}</p>}
      {open && !file.isBinary && <DiffLines hunks={patch?.hunks ?? []} label={file.path} />}
    </section>
  );
}
