// One bot: how it looks, how it answers, and who may talk to it.
import '../../styles/people.css';
import type { BotProfileDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { useTitle } from '../../base/title.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { RecordForm, type Section } from '../../ui/record-form.tsx';
import { Loaded } from '../../ui/states.tsx';
import type { PageProps } from '../page-props.ts';
import { Publication } from './bots-page.tsx';

const sections = (): Section<keyof BotProfileDto & string>[] => [
  {
    title: t('Face'),
    fields: [
      { key: 'displayName', label: t('Name'), kind: 'text' },
      { key: 'tagline', label: t('Line below the name'), kind: 'text', orNone: true },
      { key: 'avatarUrl', label: t('Picture'), kind: 'text', orNone: true, placeholder: 'https://' },
      { key: 'greeting', label: t('Greeting'), kind: 'long', orNone: true },
      { key: 'suggestedPrompts', label: t('Suggested prompts, one a line'), kind: 'lines' },
    ],
  },
  {
    title: t('Answers'),
    hint: t('They hold in chats with the identity where neither the message nor the chat says otherwise.'),
    fields: [
      {
        key: 'systemPromptOverride',
        label: t('Instructions'),
        hint: t('In place of those that follow from the identity.'),
        kind: 'long',
        orNone: true,
      },
      { key: 'defaultModelId', label: t('Model'), kind: 'text', orNone: true, placeholder: 'openai:gpt-5-mini' },
      { key: 'routeId', label: t('Number of a route, in place of a model'), kind: 'number', orNone: true },
      { key: 'temperature', label: t('Temperature, 0 to 2'), kind: 'number', orNone: true },
      { key: 'reasoningEffort', label: t('Reasoning effort'), kind: 'text', orNone: true, placeholder: 'low' },
      { key: 'maxContextMessages', label: t('Newest messages that the model is given'), kind: 'number' },
      {
        key: 'enabledTools',
        label: t('Tools, one a line'),
        hint: t('For people who may act as the identity. A trailing * stands for anything. Visitors have none.'),
        kind: 'lines',
      },
    ],
  },
  {
    title: t('Visitors'),
    hint: t('Published, anybody may talk to it without signing in. Visitors can bring it to repeat its instructions.'),
    fields: [
      { key: 'isPublished', label: t('Anybody may talk to it'), kind: 'check' },
      {
        key: 'frameOrigins',
        label: t('Sites that may embed its page, one a line'),
        hint: t('Origins such as https://example.com.'),
        kind: 'lines',
      },
      { key: 'messagesPerHour', label: t('Messages an hour from one address'), kind: 'number' },
      { key: 'tokensPerDay', label: t('Tokens a day for all visitors'), kind: 'number' },
    ],
  },
];

export function BotPage({ params }: PageProps) {
  const identityId = Number(params.id);
  const bot = useResource(`bot ${identityId}`, () => client.botProfiles.get({ params: { identityId } }));
  useTitle(bot.data?.displayName ?? t('Bot'));
  const save = async (value: BotProfileDto) => {
    const {
      identityId: _i,
      identityName: _n,
      publicUrl: _p,
      a2aUrl: _a,
      tokensToday: _t,
      createdAtUtc: _c,
      updatedAtUtc: _u,
      ...body
    } = value;
    const saved = await client.botProfiles.replace({ params: { identityId }, body });
    bot.put(() => saved);
  };
  return (
    <div className="page">
      <Loaded resource={bot} back={{ href: '#/bots', label: t('All bots') }}>
        {(one) => (
          <>
            <div className="page-head">
              <h1>{one.displayName}</h1>
              <Publication bot={one} />
            </div>
            {one.publicUrl && (
              <Address url={one.publicUrl} agentUrl={one.a2aUrl} isFramed={one.frameOrigins.length > 0} />
            )}
            {one.channelIds.length > 0 && <Channels ids={one.channelIds} />}
            <RecordForm
              draft={`bot ${identityId}`}
              value={one}
              sections={sections()}
              mayChange={may('IdentitiesWrite')}
              onSave={save}
            />
          </>
        )}
      </Loaded>
    </div>
  );
}

/** Where it answers besides; a channel's own page says by whom it is answered. */
function Channels({ ids }: { ids: readonly number[] }) {
  const all = useResource('channels for bots', () => client.channels.list({ query: { pageSize: 200 } }));
  const nameOf = (id: number) => all.data?.items.find((one) => one.id === id)?.name ?? t('Channel {id}', { id });
  return (
    <p className="row wrap">
      {t('Answers in')}
      {ids.map((id) => (
        <a key={id} href={`#/channels/${id}`}>
          {nameOf(id)}
        </a>
      ))}
    </p>
  );
}

function Address({ url, agentUrl, isFramed }: { url: string; agentUrl: string | null; isFramed: boolean }) {
  return (
    <section className="card">
      <div className="card-head">
        <h2>{t('Where to find it')}</h2>
      </div>
      <div className="card-body stack">
        <p>
          <a href={url} target="_blank" rel="noreferrer">
            {url}
          </a>
        </p>
        {agentUrl && (
          <p>
            {t('For agents (A2A)')}:{' '}
            <a href={`${agentUrl}/.well-known/agent-card.json`} target="_blank" rel="noreferrer">
              {agentUrl}
            </a>
          </p>
        )}
        {isFramed && <code>{`<iframe src="${url}" title="Chat" width="400" height="600"></iframe>`}</code>}
      </div>
    </section>
  );
}
