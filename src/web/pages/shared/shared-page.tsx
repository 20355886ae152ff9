// What a link shows to anybody: one run with its steps, or one chat; read only.
import '../../styles/shared.css';
import { useState } from 'react';
import type { AgentRunFileContent, AgentRunFileInfo, SharedDto, SharedMessageDto } from '../../../client/index.ts';
import { formatBytes, formatCost, formatDate, formatNumber, t, words } from '../../base/i18n.ts';
import { useTitle } from '../../base/title.ts';
import { toApiError, useResource } from '../../state/resource.ts';
import { askShared, type Shared, useShared } from '../../state/shared.ts';
import type { Entry } from '../../timeline/timeline.ts';
import { quiet } from '../../timeline/timeline.ts';
import { Code } from '../../ui/code.tsx';
import { Markdown } from '../../ui/markdown.tsx';
import { Empty, Loaded, Skeleton } from '../../ui/states.tsx';
import { RunStatus } from '../../ui/status.tsx';
import { say } from '../../ui/toast.tsx';

export function SharedPage({ token }: { token: string }) {
  const shared = useShared(token);
  const { about, state } = shared;
  useTitle(about?.title.slice(0, 80) ?? t('Shared with you'));
  if (state === 'closed')
    return (
      <main className="main shared">
        <Empty isPage title={t('This link shows nothing any more')}>
          {t('It has expired, was revoked, or never was one. Ask who gave it to you for another one.')}
        </Empty>
      </main>
    );
  return (
    <main className="main shared stack">
      {about ? <Head about={about} state={state} /> : <Skeleton rows={8} />}
      {about?.kind === 'Run' && <Steps entries={shared.timeline.entries} />}
      {about?.kind === 'Chat' && <Talk messages={[...shared.messages.values()]} />}
      {about?.includeFiles && <Files token={token} />}
    </main>
  );
}

function Head({ about, state }: { about: SharedDto; state: Shared['state'] }) {
  const { run } = about;
  return (
    <header className="stack">
      <p className="small muted row wrap">
        <span>{t('Shared with you, to read')}</span>
        <span>{t('until {date}', { date: formatDate(about.expiresAtUtc) })}</span>
        {state === 'live' && <span>{t('Live')}</span>}
      </p>
      <h1 className="shared-title">{about.title}</h1>
      {run && (
        <div className="row wrap small">
          <RunStatus status={run.status} />
          <span className="mono">{run.modelId}</span>
          <span className="num">{t('{n} tokens', { n: formatNumber(run.tokensUsed) })}</span>
          <span className="num">{formatCost(run.costUsd)}</span>
        </div>
      )}
      {run?.failureReason && <p className="failure">{run.failureReason}</p>}
      {run?.progressSummary && <Markdown text={run.progressSummary} />}
    </header>
  );
}

function Steps({ entries }: { entries: readonly Entry[] }) {
  const shown = entries.filter((entry) => entry.kind !== 'line' || !quiet.has(entry.event.type));
  return (
    <section className="stack" aria-label={t('Steps')}>
      {shown.length === 0 && (
        <Empty title={t('Nothing yet')}>{t('What the run does appears here as it happens.')}</Empty>
      )}
      {shown.map((entry) => (
        <Step key={entry.key} entry={entry} />
      ))}
    </section>
  );
}

function Step({ entry }: { entry: Entry }) {
  if (entry.kind === 'turn')
    return (
      <article className="card card-body stack">
        <h2 className="small muted">{t('Turn {n}', { n: entry.iteration })}</h2>
        {entry.text && <Markdown text={entry.text} />}
        {entry.failure && <p className="failure">{entry.failure}</p>}
      </article>
    );
  if (entry.kind === 'tool')
    return (
      <details className="card card-body">
        <summary>
          <strong className="mono">{entry.name}</strong> <span className="muted small">{words(entry.state)}</span>
        </summary>
        {entry.args && <Code title={t('Arguments')} text={entry.args} />}
        {entry.result && <Code title={t('Result')} text={entry.result} />}
      </details>
    );
  const { title, type, message } = entry.event;
  return (
    <p className="small">
      {title || words(type)} {message && <span className="muted">{message.slice(0, 400)}</span>}
    </p>
  );
}

function Talk({ messages }: { messages: readonly SharedMessageDto[] }) {
  return (
    <section className="stack" aria-label={t('Messages')}>
      {messages.map(({ id, role, content, tools, attachments }) => (
        <article key={id} className="card card-body stack" data-role={role}>
          <h2 className="small muted">{role === 'user' ? t('Question') : t('Answer')}</h2>
          <Markdown text={content} />
          {[...tools, ...attachments].length > 0 && (
            <p className="small muted mono">{[...tools, ...attachments].join(', ')}</p>
          )}
        </article>
      ))}
    </section>
  );
}

function Files({ token }: { token: string }) {
  const files = useResource<AgentRunFileInfo[]>(`shared files ${token}`, () => askShared('files', { token }));
  const [file, setFile] = useState<AgentRunFileContent | null>(null);
  const open = (path: string) =>
    askShared<AgentRunFileContent>('file', { token, path }).then(setFile, (error) =>
      say(t('Not opened'), toApiError(error).message, 'warn'),
    );
  return (
    <section className="stack" aria-label={t('Files')}>
      <h2>{t('Files')}</h2>
      <Loaded resource={files}>
        {(list) => (
          <ul className="shared-files">
            {list.length === 0 && <li className="muted">{t('No files')}</li>}
            {list
              .filter(({ isDirectory }) => !isDirectory)
              .map(({ path, sizeBytes }) => (
                <li key={path}>
                  <button type="button" className="link mono" onClick={() => void open(path)}>
                    {path}
                  </button>{' '}
                  <span className="faint small num">{formatBytes(sizeBytes)}</span>
                </li>
              ))}
          </ul>
        )}
      </Loaded>
      {file && <Code title={file.path} text={file.text ?? t('This file is no text.')} />}
    </section>
  );
}
