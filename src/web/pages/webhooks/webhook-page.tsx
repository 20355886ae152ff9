// One webhook: what it sends where, whether it is on and why not, its secret, and its deliveries.
import '../../styles/people.css';
import { useState } from 'react';
import type { IdentityDto, ProjectDto, WebhookDto, WebhookWriteResult } from '../../../client/index.ts';
import { useCount } from '../../base/count.ts';
import { formatDate, formatDuration, formatNumber, plural, t } from '../../base/i18n.ts';
import { goFromHere } from '../../base/router.ts';
import { useTitle } from '../../base/title.ts';
import { client, may } from '../../state/app.ts';
import { useNews } from '../../state/news.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { FactGrid } from '../../ui/fact-grid.tsx';
import { Loaded } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { nameOf, useIdentities, useProjects } from '../memory/chosen.tsx';
import type { PageProps } from '../page-props.ts';
import { Deliveries } from './deliveries.tsx';
import { Standing } from './marks.tsx';
import { RotateDialog, SecretDialog } from './secret-dialog.tsx';
import { TestDialog } from './test-dialog.tsx';
import { WebhookDialog } from './webhook-dialog.tsx';

export function WebhookPage({ params }: PageProps) {
  const id = Number(params.id);
  const news = useNews('webhooks');
  const webhook = useKept(useResource(`webhook ${id}`, () => client.webhooks.get({ params: { id } })));
  useReloadOn(news, webhook.reload);
  useTitle(webhook.data?.name ?? t('Webhook'));
  // What is done here is seen at once, before anybody tells of it.
  const [done, countDone] = useCount();
  const onChange = () => {
    webhook.reload();
    countDone();
  };
  return (
    <div className="page">
      <Loaded resource={webhook} back={{ href: '#/webhooks', label: t('All webhooks') }}>
        {(one) => (
          <>
            <Head webhook={one} onChange={onChange} />
            <Summary webhook={one} />
            <Deliveries webhook={one} news={`${news} ${done}`} onChange={onChange} />
          </>
        )}
      </Loaded>
    </div>
  );
}

interface Props {
  webhook: WebhookDto;
  onChange: () => void;
}

type Asking = 'test' | 'edit' | 'rotate' | 'disable' | 'remove';

function Head({ webhook, onChange }: Props) {
  const [asking, setAsking] = useState<Asking | null>(null);
  const { busy, act } = useAction();
  const { id } = webhook;
  const enable = () =>
    client.webhooks.patch({ params: { id }, body: { enabled: true } }).then(() => {
      say(t('Enabled'));
      onChange();
    });
  return (
    <div className="page-head">
      <h1>{webhook.name}</h1>
      {may('WebhooksWrite') && (
        <div className="row wrap">
          {webhook.enabled ? (
            <>
              <Button kind="primary" icon="send" onClick={() => setAsking('test')}>
                {t('Send a test')}
              </Button>
              <Button icon="pause" onClick={() => setAsking('disable')}>
                {t('Disable')}
              </Button>
            </>
          ) : (
            <Button kind="primary" icon="play" disabled={busy} onClick={() => void act(enable)}>
              {t('Enable')}
            </Button>
          )}
          <Button icon="key" onClick={() => setAsking('rotate')}>
            {t('Rotate the secret')}
          </Button>
          <Button icon="edit" onClick={() => setAsking('edit')}>
            {t('Change')}
          </Button>
          <Button kind="danger" onClick={() => setAsking('remove')}>
            {t('Delete')}
          </Button>
        </div>
      )}
      <Asked webhook={webhook} asking={asking} onChange={onChange} onClose={() => setAsking(null)} />
    </div>
  );
}

function Asked({ webhook, asking, onChange, onClose }: Props & { asking: Asking | null; onClose: () => void }) {
  const [secret, setSecret] = useState<WebhookWriteResult | null>(null);
  const { id } = webhook;
  const disable = async () => {
    await client.webhooks.patch({ params: { id }, body: { enabled: false } });
    onChange();
  };
  const remove = async () => {
    const goOn = goFromHere();
    await client.webhooks.remove({ params: { id } });
    goOn('/webhooks');
  };
  const rotated = (result: WebhookWriteResult) => {
    setSecret(result);
    onChange();
  };
  return (
    <>
      {asking === 'test' && <TestDialog webhook={webhook} onClose={onClose} onDone={onChange} />}
      {asking === 'edit' && <WebhookDialog webhook={webhook} onClose={onClose} onDone={onChange} />}
      {asking === 'rotate' && <RotateDialog webhook={webhook} onClose={onClose} onDone={rotated} />}
      {asking === 'disable' && (
        <Confirm title={t('Disable this webhook?')} action={t('Disable')} onConfirm={disable} onClose={onClose}>
          <p>{t('What waits for it is dropped, and events are not kept for it until it is enabled again.')}</p>
        </Confirm>
      )}
      {asking === 'remove' && (
        <Confirm title={t('Delete this webhook?')} action={t('Delete')} onConfirm={remove} onClose={onClose}>
          <p>{t('What waits for it is dropped, and its secret is gone.')}</p>
        </Confirm>
      )}
      {secret && <SecretDialog result={secret} onClose={() => setSecret(null)} />}
    </>
  );
}

function Summary({ webhook }: { webhook: WebhookDto }) {
  const identities = useIdentities();
  const projects = useProjects();
  const { disabledReason, disabledAtUtc, consecutiveFailures, description } = webhook;
  return (
    <section className="stack" aria-label={t('How it stands')}>
      <div className="row wrap">
        <Standing {...webhook} />
        {webhook.enabled && consecutiveFailures > 0 && (
          <span className="small muted">
            {plural(consecutiveFailures, '{n} delivery in a row has failed', '{n} deliveries in a row have failed')}
          </span>
        )}
      </div>
      {disabledReason && (
        <p role="note">
          {disabledReason}
          {disabledAtUtc && <span className="muted"> {formatDate(disabledAtUtc)}</span>}
        </p>
      )}
      {description && <p className="muted">{description}</p>}
      <FactGrid facts={factsOf(webhook, projects.data?.items, identities.data?.items)} />
    </section>
  );
}

function factsOf(
  webhook: WebhookDto,
  projects: readonly ProjectDto[] = [],
  identities: readonly IdentityDto[] = [],
): (readonly [string, string])[] {
  const { projectId, identityId } = webhook;
  const identity = identities.find(({ id }) => id === identityId);
  return [
    [t('URL'), webhook.url],
    [t('Events'), webhook.eventTypes.join(', ')],
    ...(webhook.filterJson ? [[t('Filter'), webhook.filterJson] as const] : []),
    ...(projectId === null
      ? []
      : [[t('Project'), projects.find(({ id }) => id === projectId)?.name ?? `${projectId}`] as const]),
    ...(identityId === null ? [] : [[t('Identity'), identity ? nameOf(identity) : `${identityId}`] as const]),
    ...(webhook.headerNames.length > 0 ? [[t('Headers'), webhook.headerNames.join(', ')] as const] : []),
    [t('Secret'), `${webhook.secretPrefix}…`],
    [t('Time limit'), formatDuration(webhook.timeoutMs)],
    [t('Attempts at most'), formatNumber(webhook.maxAttempts)],
    [
      t('Deliveries'),
      t('{good} delivered, {bad} failed', {
        good: formatNumber(webhook.successCount),
        bad: formatNumber(webhook.failureCount),
      }),
    ],
  ];
}
