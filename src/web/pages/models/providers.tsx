// Providers: where models come from, how healthy each is, and its keys.
import { useState } from 'react';
import type { AIProviderDto, AIProviderHealthDto } from '../../../client/index.ts';
import { formatNumber, formatPercent, plural, t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useNews } from '../../state/news.ts';
import { useReloadOn, useResource } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { Figures } from '../../ui/figures.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { State } from '../../ui/status.tsx';
import { say, sayError } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';
import { ConnectModel, kindNames } from './connect-model.tsx';
import { ProviderKeys } from './provider-keys.tsx';

export function Providers() {
  const list = useResource('providers', () => client.aiProviders.list({ query: { pageSize: 100 } }));
  const health = useResource('health', () => client.aiProviders.health());
  const news = useNews('router', ({ type }) => type === 'router.health');
  useReloadOn(news, health.reload);
  useReloadOn(news, list.reload);
  const [adding, setAdding] = useState(false);
  return (
    <div className="stack">
      {may('AiRouterWrite') && (
        <div>
          <Button icon="plus" onClick={() => setAdding(true)}>
            {t('Connect a model')}
          </Button>
        </div>
      )}
      <Loaded resource={list}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('No providers yet')}>
              {t(
                'Connect one here, or set OPENAI_API_KEY, ANTHROPIC_API_KEY or OPENAI_BASE_URL before the server starts.',
              )}
            </Empty>
          ) : (
            <div className="cards-2">
              {items.map((one) => (
                <Provider
                  key={one.id}
                  provider={one}
                  health={health.data?.find((row) => row.providerId === one.id && row.modelId === null) ?? null}
                  onChange={list.reload}
                />
              ))}
            </div>
          )
        }
      </Loaded>
      {adding && <ConnectModel onClose={() => setAdding(false)} onDone={list.reload} />}
    </div>
  );
}

interface ProviderProps {
  provider: AIProviderDto;
  onChange: () => void;
}

function Provider({ provider, health, onChange }: ProviderProps & { health: AIProviderHealthDto | null }) {
  const isFixed = provider.source === 'Environment';
  const figures =
    health &&
    ([
      [t('Calls'), formatNumber(health.calls)],
      [t('Errors'), formatPercent(health.errorRate)],
      [t('Median latency'), health.latencyP50Ms === null ? '–' : `${formatNumber(health.latencyP50Ms)} ms`],
      [t('Tokens/s'), health.tokensPerSecond === null ? '–' : formatNumber(health.tokensPerSecond)],
    ] as const);
  return (
    <section className="card">
      <div className="card-head">
        <span className="row">
          <h2>{provider.name}</h2>
          <span className="muted small">{kindNames[provider.kind]}</span>
          {isFixed && <span className="faint small">{t('from the environment')}</span>}
        </span>
        <State name={provider.enabled ? provider.healthState : 'Disabled'} />
      </div>
      <div className="card-body stack">
        <span className="muted small mono truncate">{addressOf(provider)}</span>
        {figures && <Figures items={figures} />}
        {provider.lastError && <p className="failure small">{provider.lastError}</p>}
        {may('AiRouterWrite') && !isFixed && (
          <>
            <ProviderKeys provider={provider} />
            <Actions provider={provider} onChange={onChange} />
          </>
        )}
        <span className="faint small">{plural(provider.modelCount, '{n} model', '{n} models')}</span>
      </div>
    </section>
  );
}

function Actions({ provider, onChange }: ProviderProps) {
  const { busy: testing, act } = useAction();
  const [asking, setAsking] = useState(false);
  const params = { id: provider.id };
  const test = async () => {
    const result = await client.aiProviders.test({ params, body: {} });
    say(
      result.ok ? t('Reachable') : t('Not reachable'),
      result.ok ? t('{model} in {ms} ms', { model: result.modelId ?? '', ms: result.latencyMs }) : result.error,
      result.ok ? 'plain' : 'bad',
    );
  };
  const toggle = () =>
    client.aiProviders.patch({ params, body: { enabled: !provider.enabled } }).then(onChange, sayError);
  return (
    <div className="row wrap">
      <Button size="small" disabled={testing} onClick={() => void act(test)}>
        {testing ? t('Testing…') : t('Test')}
      </Button>
      <Button size="small" onClick={() => void toggle()}>
        {provider.enabled ? t('Disable') : t('Enable')}
      </Button>
      <Button size="small" kind="danger" onClick={() => setAsking(true)}>
        {t('Remove')}
      </Button>
      {asking && (
        <Confirm
          title={t('Remove {name}?', { name: provider.name })}
          action={t('Remove')}
          onClose={() => setAsking(false)}
          onConfirm={() => client.aiProviders.remove({ params }).then(onChange)}
        >
          <p>
            {plural(
              provider.modelCount,
              'Its {n} model can no longer be used.',
              'Its {n} models can no longer be used.',
            )}
          </p>
        </Confirm>
      )}
    </div>
  );
}

function addressOf({ baseUrl, kind }: AIProviderDto): string {
  if (kind === 'Mock') return t('scripted; no model is called');
  return baseUrl ?? t('the provider’s own address');
}
