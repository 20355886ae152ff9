// One import, from the upload to what it has written: how far it is, the review, commit, undo and discard.
import '../../styles/people.css';
import '../../styles/imports.css';
import { useState } from 'react';
import type { ImportDto } from '../../../client/index.ts';
import { formatBytes, formatDate, formatNumber, formatPercent, plural, t, words } from '../../base/i18n.ts';
import { useTitle } from '../../base/title.ts';
import { client, may } from '../../state/app.ts';
import { useNews } from '../../state/news.ts';
import { useReloadOn, useResource } from '../../state/resource.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { FactGrid } from '../../ui/fact-grid.tsx';
import { Failure, Loaded } from '../../ui/states.tsx';
import type { PageProps } from '../page-props.ts';
import { CommitDialog, DiscardDialog, UndoDialog } from './asked.tsx';
import { isUnderWay, Progress, providerOf, Standing } from './marks.tsx';
import { Review } from './review.tsx';

export function ImportPage({ params }: PageProps) {
  const id = Number(params.id);
  const topic = `import:${id}`;
  const news = useNews(topic);
  const one = useResource(topic, () => client.imports.get({ params: { id } }));
  useReloadOn(news, one.reload);
  useTitle(one.data?.fileName ?? t('Import'));
  if (one.error?.status === 404)
    return <Failure error={one.error} isPage back={{ href: '#/imports', label: t('All imports') }} />;
  return (
    <div className="page">
      <Loaded resource={one}>
        {(shown) => (
          <>
            <Head shown={shown} onChange={one.reload} />
            <Steps shown={shown} />
            <Summary shown={shown} />
            <Now shown={shown} />
            {(shown.statusId === 'ReadyForReview' || shown.statusId === 'Committed') && (
              <Review shown={shown} news={news} />
            )}
          </>
        )}
      </Loaded>
    </div>
  );
}

type Asking = 'commit' | 'undo' | 'discard';

function Head({ shown, onChange }: { shown: ImportDto; onChange: () => void }) {
  const [asking, setAsking] = useState<Asking | null>(null);
  const { statusId, fileName } = shown;
  const props = { shown, onChange, onClose: () => setAsking(null) };
  const canDiscard = statusId !== 'Committed' && statusId !== 'Committing';
  return (
    <div className="page-head">
      <h1 className="import-name">{fileName}</h1>
      {may('ImportData') && (
        <div className="row wrap">
          {statusId === 'ReadyForReview' && (
            <Button kind="primary" icon="check" onClick={() => setAsking('commit')}>
              {t('Commit')}
            </Button>
          )}
          {statusId === 'Committed' && (
            <Button kind="danger" icon="back" onClick={() => setAsking('undo')}>
              {t('Undo')}
            </Button>
          )}
          {canDiscard && (
            <Button kind="danger" onClick={() => setAsking('discard')}>
              {t('Discard')}
            </Button>
          )}
        </div>
      )}
      {asking === 'commit' && <CommitDialog {...props} />}
      {asking === 'undo' && <UndoDialog {...props} />}
      {asking === 'discard' && <DiscardDialog {...props} />}
    </div>
  );
}

const steps = ['Upload', 'Read', 'Flag secrets', 'Review', 'Commit'] as const;
/** The step that is under way; one past the last when all are done. */
const at = { Parsing: 1, Scrubbing: 2, ReadyForReview: 3, Committing: 4, Committed: 5 } as const;

function Steps({ shown: { statusId } }: { shown: ImportDto }) {
  if (statusId === 'Failed') return null;
  return (
    <ol className="import-steps" aria-label={t('Steps')}>
      {steps.map((step, index) => (
        <li key={step} data-done={index < at[statusId]} aria-current={index === at[statusId] ? 'step' : undefined}>
          {t(step)}
          {index < at[statusId] && <span className="visually-hidden"> {t('(done)')}</span>}
        </li>
      ))}
    </ol>
  );
}

function Summary({ shown }: { shown: ImportDto }) {
  const { fileSizeBytes, detectedFormat, conversationCount, messageCount, itemCount, scrubFlagCount } = shown;
  const facts: (readonly [string, string])[] = [
    [t('From'), providerOf(shown)],
    [t('Size'), formatBytes(fileSizeBytes)],
    ...(detectedFormat ? [[t('Format'), detectedFormat] as const] : []),
    [t('Conversations'), formatNumber(conversationCount)],
    [t('Messages'), formatNumber(messageCount)],
    [t('Memories and facts'), formatNumber(itemCount)],
    [t('Flags'), formatNumber(scrubFlagCount)],
    [t('Not read'), formatNumber(shown.skippedCount)],
    [t('Uploaded'), formatDate(shown.createdAtUtc)],
    ...(shown.committedAtUtc ? [[t('Committed'), formatDate(shown.committedAtUtc)] as const] : []),
  ];
  return (
    <section className="stack" aria-label={t('How it stands')}>
      <div className="row wrap">
        <Standing status={shown.statusId} />
      </div>
      <FactGrid facts={facts} />
    </section>
  );
}

/** What goes on, what was written, or what to do about a failure. */
function Now({ shown }: { shown: ImportDto }) {
  const { statusId, progressPercent, errorMessage, memoryCount, restoredCount, factCount, identityId } = shown;
  if (isUnderWay(shown))
    return (
      <div className="banner" role="status">
        <span>{words(statusId)}</span>
        <Progress label={words(statusId)} value={progressPercent} max={100} />
        <span className="num">
          {statusId === 'Parsing'
            ? plural(shown.conversationCount, '{n} conversation so far', '{n} conversations so far')
            : formatPercent(progressPercent / 100)}
        </span>
        <span className="grow muted">{t('It goes on when you leave this page.')}</span>
      </div>
    );
  if (statusId === 'Committed')
    return (
      <div className="banner" role="status">
        <span className="grow">
          {t('Written: {memories} and {facts}.', {
            memories: plural(memoryCount, '{n} memory', '{n} memories'),
            facts: plural(factCount, '{n} fact', '{n} facts'),
          })}
          {restoredCount > 0 &&
            ` ${plural(restoredCount, '{n} other thing was restored.', '{n} other things were restored.')}`}
        </span>
        {identityId !== null && (
          <LinkButton size="small" href={`#/memory?identity=${identityId}`}>
            {t('See the memories')}
          </LinkButton>
        )}
      </div>
    );
  if (errorMessage === null) return null;
  return (
    <div className="banner" data-tone="bad" role="alert">
      <span className="grow">
        <strong>{statusId === 'Failed' ? t('The archive was not read.') : t('The last attempt failed.')}</strong>{' '}
        {errorMessage}
      </span>
      {statusId === 'Failed' && (
        <LinkButton size="small" href="#/imports">
          {t('Upload another archive')}
        </LinkButton>
      )}
    </div>
  );
}
