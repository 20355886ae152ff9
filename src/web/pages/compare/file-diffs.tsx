// How the files of two runs differ: each file that either has changed, as the one has it and as the other has it.
import { createTwoFilesPatch } from 'diff';
import { useState } from 'react';
import { type AgentRunDto, ApiError, type RunDiffFileDto } from '../../../client/index.ts';
import { t, words } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useReloadOn, useResource } from '../../state/resource.ts';
import { DiffLines } from '../../ui/diff-lines.tsx';
import { readPatch } from '../../ui/patch.ts';
import { Loaded } from '../../ui/states.tsx';

interface Changed {
  path: string;
  left: RunDiffFileDto | undefined;
  right: RunDiffFileDto | undefined;
}

/** What is not there has no files, and no text. */
async function ifThere<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

async function changedFiles(left: number, right: number): Promise<Changed[]> {
  const of = async (runId: number) =>
    (await ifThere(client.agentRunFiles.diff({ params: { runId }, query: { statOnly: true } })))?.files ?? [];
  const [before, after] = await Promise.all([of(left), of(right)]);
  const find = (files: RunDiffFileDto[], path: string) => files.find((one) => one.path === path);
  const paths = [...new Set([...before, ...after].map(({ path }) => path))].sort();
  return paths.map((path) => ({ path, left: find(before, path), right: find(after, path) }));
}

export function FileDiffs({ left, right }: { left: AgentRunDto; right: AgentRunDto }) {
  const files = useResource(`compared files ${left.id} ${right.id}`, () => changedFiles(left.id, right.id));
  useReloadOn(`${left.iterationsUsed} ${left.status} ${right.iterationsUsed} ${right.status}`, files.reload);
  return (
    <section className="stack" aria-label={t('Files')} data-testid="compare-files">
      <h2>{t('Files')}</h2>
      <Loaded resource={files} rows={2}>
        {(items) =>
          items.length === 0 ? (
            <p className="muted">{t('Neither run has changed a file.')}</p>
          ) : (
            items.map((file, index) => (
              <FileCompared key={file.path} file={file} ids={[left.id, right.id]} isOpen={index < openAtFirst} />
            ))
          )
        }
      </Loaded>
    </section>
  );
}

/** Files whose texts are read before anybody asks for them. */
const openAtFirst = 5;

interface Props {
  file: Changed;
  ids: readonly [number, number];
  isOpen: boolean;
}

function FileCompared({ file, ids, isOpen }: Props) {
  const [open, setOpen] = useState(isOpen);
  const changeOf = (id: number, change: RunDiffFileDto | undefined) =>
    change ? `#${id}: ${words(change.changeType)}` : t('#{id}: unchanged', { id });
  return (
    <section className="card diff-file">
      <div className="card-head">
        <button type="button" className="link mono truncate" aria-expanded={open} onClick={() => setOpen(!open)}>
          {file.path}
        </button>
        <span className="row small wrap">
          <span className="tag">{changeOf(ids[0], file.left)}</span>
          <span className="tag">{changeOf(ids[1], file.right)}</span>
        </span>
      </div>
      {open && <Difference file={file} ids={ids} />}
    </section>
  );
}

/** Text of each file that is read, bytes. */
const mostBytes = 262_144;
/** A difference that takes longer to find is not shown, ms. */
const longestMs = 1000;

async function readBoth(path: string, ids: readonly [number, number]) {
  const read = (runId: number) =>
    ifThere(client.agentRunFiles.read({ params: { runId }, query: { path, maxBytes: mostBytes } }));
  return Promise.all([read(ids[0]), read(ids[1])]);
}

function Difference({ file, ids }: Omit<Props, 'isOpen'>) {
  const { path } = file;
  const sizes = [file.left, file.right].map((one) => `${one?.additions}/${one?.deletions}`).join(' ');
  const both = useResource(`compared ${ids.join(' ')} ${sizes} ${path}`, () => readBoth(path, ids));
  return (
    <Loaded resource={both} rows={3}>
      {([left, right]) => {
        if (left?.isBinary || right?.isBinary) return <p className="card-body muted">{t('A binary file.')}</p>;
        const [before, after] = [left?.text ?? '', right?.text ?? ''];
        if (before === after && (left === null) === (right === null))
          return <p className="card-body muted">{t('Both runs have it with the same text.')}</p>;
        const patch = createTwoFilesPatch('a', 'b', before, after, undefined, undefined, { timeout: longestMs });
        return (
          <>
            {[left, right].map((one, side) =>
              one === null ? (
                <p key={ids[side]} className="card-body muted">
                  {t('Run #{id} does not have it.', { id: ids[side] ?? 0 })}
                </p>
              ) : null,
            )}
            {(left?.truncated || right?.truncated) && (
              <p className="card-body muted">{t('The file is long; its beginnings are compared.')}</p>
            )}
            {patch ? (
              <DiffLines hunks={readPatch(`diff --git a/f b/f\n${patch}`)[0]?.hunks ?? []} label={path} />
            ) : (
              <p className="card-body muted">{t('The texts differ too much to be compared.')}</p>
            )}
          </>
        );
      }}
    </Loaded>
  );
}
