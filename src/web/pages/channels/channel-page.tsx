// One channel: where it leads, its inbound address, whether it is on and why not, a test, and its traffic.
import '../../styles/people.css';
import { useState } from 'react';
import type { ChannelDto } from '../../../client/index.ts';
import { useCount } from '../../base/count.ts';
import { plural, t, words } from '../../base/i18n.ts';
import { goFromHere } from '../../base/router.ts';
import { useTitle } from '../../base/title.ts';
import { client, may } from '../../state/app.ts';
import { useNews } from '../../state/news.ts';
import { useKept, useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Copyable } from '../../ui/code.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { FactGrid } from '../../ui/fact-grid.tsx';
import { Loaded } from '../../ui/states.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { useProjects } from '../memory/chosen.tsx';
import type { PageProps } from '../page-props.ts';
import { Standing } from '../webhooks/marks.tsx';
import { ChannelDialog } from './channel-dialog.tsx';
import { directionWords, enable, hasGivenUp } from './channels-page.tsx';
import { Traffic } from './traffic.tsx';

export function ChannelPage({ params }: PageProps) {
  const id = Number(params.id);
  const news = useNews('channels');
  const channel = useKept(useResource(`channel ${id}`, () => client.channels.get({ params: { id } })));
  useReloadOn(news, channel.reload);
  useTitle(channel.data?.name ?? t('Channel'));
  // What is done here is seen at once, before anybody tells of it.
  const [done, countDone] = useCount();
  const onChange = () => {
    channel.reload();
    countDone();
  };
  return (
    <div className="page">
      <Loaded resource={channel} back={{ href: '#/channels', label: t('All channels') }}>
        {(one) => (
          <>
            <Head channel={one} onChange={onChange} />
            <Summary channel={one} />
            <Traffic channel={one} news={`${news} ${done}`} onChange={onChange} />
          </>
        )}
      </Loaded>
    </div>
  );
}

interface Props {
  channel: ChannelDto;
  onChange: () => void;
}

type Asking = 'edit' | 'disable' | 'remove';

function Head({ channel, onChange }: Props) {
  const [asking, setAsking] = useState<Asking | null>(null);
  const { busy, act } = useAction();
  const { id } = channel;
  const test = async () => {
    const { status, error } = await client.channels.test({ params: { id }, body: {} });
    say(status === 'Delivered' ? t('The test has arrived') : (error ?? t('The test has not arrived')));
    onChange();
  };
  return (
    <div className="page-head">
      <h1>{channel.name}</h1>
      {may('ChannelsWrite') && (
        <div className="row wrap">
          {channel.enabled ? (
            <>
              {channel.direction !== 'Inbound' && (
                <Button kind="primary" icon="send" disabled={busy} onClick={() => void act(test)}>
                  {t('Send a test')}
                </Button>
              )}
              <Button icon="pause" onClick={() => setAsking('disable')}>
                {t('Disable')}
              </Button>
            </>
          ) : (
            <Button
              kind="primary"
              icon="play"
              disabled={busy}
              onClick={() => void act(() => enable(channel).then(onChange))}
            >
              {hasGivenUp(channel) ? t('Enable again') : t('Enable')}
            </Button>
          )}
          <Button icon="edit" onClick={() => setAsking('edit')}>
            {t('Change')}
          </Button>
          <Button kind="danger" onClick={() => setAsking('remove')}>
            {t('Delete')}
          </Button>
        </div>
      )}
      <Asked channel={channel} asking={asking} onChange={onChange} onClose={() => setAsking(null)} />
    </div>
  );
}

function Asked({ channel, asking, onChange, onClose }: Props & { asking: Asking | null; onClose: () => void }) {
  const { id } = channel;
  const disable = async () => {
    await client.channels.patch({ params: { id }, body: { enabled: false } });
    onChange();
  };
  const remove = async () => {
    const goOn = goFromHere();
    await client.channels.remove({ params: { id } });
    goOn('/channels');
  };
  return (
    <>
      {asking === 'edit' && <ChannelDialog channel={channel} onClose={onClose} onDone={onChange} />}
      {asking === 'disable' && (
        <Confirm title={t('Disable this channel?')} action={t('Disable')} onConfirm={disable} onClose={onClose}>
          <p>{t('What waits for it is dropped, and nobody is heard through it until it is enabled again.')}</p>
        </Confirm>
      )}
      {asking === 'remove' && (
        <Confirm title={t('Delete this channel?')} action={t('Delete')} onConfirm={remove} onClose={onClose}>
          <p>{t('What waits for it is dropped, and its secret is gone. Chats and messages stay.')}</p>
        </Confirm>
      )}
    </>
  );
}

function Summary({ channel }: { channel: ChannelDto }) {
  const { failureCount, lastError, inboundPath, projectId } = channel;
  const project = useProjects().data?.items.find(({ id }) => id === projectId)?.name ?? `${projectId}`;
  return (
    <section className="stack" aria-label={t('How it stands')}>
      <div className="row wrap">
        <Standing {...channel} hasGivenUp={hasGivenUp(channel)} />
        {channel.enabled && failureCount > 0 && (
          <span className="small muted">
            {plural(failureCount, '{n} delivery in a row has failed', '{n} deliveries in a row have failed')}
          </span>
        )}
        {failureCount > 0 && (
          <a className="small" href={`#/channels/${channel.id}?status=Failed`}>
            {t('See what failed')}
          </a>
        )}
      </div>
      {lastError && <p role="note">{lastError}</p>}
      <FactGrid facts={factsOf(channel, project)} />
      {inboundPath && (
        <div className="stack">
          <h2>{t('Inbound address')}</h2>
          <p className="muted small">{t('Give it to the service: it calls this server here.')}</p>
          <Copyable text={`${window.location.origin}${inboundPath}`} />
        </div>
      )}
    </section>
  );
}

const factsOf = (channel: ChannelDto, project: string): (readonly [string, string])[] => [
  [t('Service'), `${words(channel.kind)}, ${directionWords[channel.direction]()}`],
  ...(channel.targetSummary ? [[t('Place'), channel.targetSummary] as const] : []),
  [t('Events'), channel.eventTypes.join(', ') || t('none')],
  [t('Priority at least'), words(channel.minPriority)],
  ...(channel.identityName ? [[t('Identity'), channel.identityName] as const] : []),
  ...(channel.projectId === null ? [] : [[t('Project'), project] as const]),
  [t('Secret'), channel.hasSecret ? t('kept sealed') : t('none')],
  ...(channel.settingsJson ? [[t('Settings'), channel.settingsJson] as const] : []),
];
