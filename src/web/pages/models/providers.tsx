// Providers: where models come from, how healthy each is, and its keys.
import { useState } from 'react';
import type { AIProviderDto, AIProviderHealthDto, AIProviderKind } from '../../../client/index.ts';
import { formatNumber, formatPercent, plural, t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { useTopic } from '../../state/topic.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { Figures } from '../../ui/figures.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Empty, Loaded } from '../../ui/states.tsx';
import { State } from '../../ui/status.tsx';
import { say, sayError } from '../../ui/toast.tsx';
import { ProviderKeys } from './provider-keys.tsx';

/** As their makers write them. */
const kindNames: Record<AIProviderKind, string> = {
  OpenAi: 'OpenAI',
  Anthropic: 'Anthropic',
  Google: 'Google',
  OpenAiCompatible: 'OpenAI-compatible',
  Ollama: 'Ollama',
  Vllm: 'vLLM',
  LlamaCpp: 'llama.cpp',
  Mistral: 'Mistral',
  AzureOpenAi: 'Azure OpenAI',
  Mock: 'scripted',
};
const { Mock: _, ...addable } = kindNames;

export function Providers() {
  const list = useResource('providers', () => client.aiProviders.list({ query: { pageSize: 100 } }));
  const health = useResource('health', () => client.aiProviders.health());
  useTopic('router', {
    onEvent: (event) => {
      if ((event.type as string) !== 'router.health') return;
      health.reload();
      list.reload();
    },
    onSnapshot: health.reload,
  });
  const [adding, setAdding] = useState(false);
  return (
    <div className="stack">
      {may('AiRouterWrite') && (
        <div>
          <Button icon="plus" onClick={() => setAdding(true)}>
            {t('Add a provider')}
          </Button>
        </div>
      )}
      <Loaded resource={list}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title={t('No providers yet')}>
              {t('Add one here, or set OPENAI_API_KEY, ANTHROPIC_API_KEY or OPENAI_BASE_URL before the server starts.')}
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
      {adding && <AddProvider onClose={() => setAdding(false)} onDone={list.reload} />}
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
      [t('Median'), health.latencyP50Ms === null ? '–' : `${formatNumber(health.latencyP50Ms)} ms`],
      [t('Tokens a second'), health.tokensPerSecond === null ? '–' : formatNumber(health.tokensPerSecond)],
    ] as const);
  return (
    <section className="card">
      <div className="card-head">
        <span className="row">
          <h2>{provider.name}</h2>
          <span className="muted small">{kindNames[provider.kind]}</span>
          {isFixed && <span className="faint small">{t('set up by the environment')}</span>}
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
  const [testing, setTesting] = useState(false);
  const [asking, setAsking] = useState(false);
  const params = { id: provider.id };
  const test = async () => {
    setTesting(true);
    try {
      const result = await client.aiProviders.test({ params, body: {} });
      say(
        result.ok ? t('It answers') : t('It does not answer'),
        result.ok ? t('{model} in {ms} ms', { model: result.modelId ?? '', ms: result.latencyMs }) : result.error,
        result.ok ? 'plain' : 'bad',
      );
    } catch (error) {
      sayError(error);
    }
    setTesting(false);
  };
  const toggle = () =>
    client.aiProviders.patch({ params, body: { enabled: !provider.enabled } }).then(onChange, sayError);
  return (
    <div className="row wrap">
      <Button size="small" disabled={testing} onClick={() => void test()}>
        {testing ? t('Testing…') : t('Test')}
      </Button>
      <Button size="small" onClick={() => void toggle()}>
        {provider.enabled ? t('Switch off') : t('Switch on')}
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
  if (kind === 'Mock') return t('plays scripts; no model is called');
  return baseUrl ?? t('the provider’s own address');
}

function AddProvider({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const [name, setName] = useState('');
  const [kind, setKind] = useState<AIProviderKind>('OpenAi');
  const [baseUrl, setBaseUrl] = useState('');
  const [apiKey, setApiKey] = useState('');
  const add = async () => {
    const body = { name, kind, syncModels: true, ...(baseUrl ? { baseUrl } : {}), ...(apiKey ? { apiKey } : {}) };
    await client.aiProviders.create({ body });
    onDone();
  };
  return (
    <FormDialog title={t('Add a provider')} action={t('Add')} ready={name !== ''} onSubmit={add} onClose={onClose}>
      <SelectField
        label={t('Kind')}
        value={kind}
        onChange={setKind}
        options={Object.entries(addable) as [AIProviderKind, string][]}
      />
      <TextField
        label={t('Name')}
        value={name}
        onChange={setName}
        required
        hint={t('The first part of its model ids, such as openai in openai:gpt-5-mini.')}
      />
      <TextField
        label={t('Address')}
        value={baseUrl}
        onChange={setBaseUrl}
        type="url"
        placeholder="http://127.0.0.1:11434/v1"
        hint={t('Empty for the provider’s own.')}
      />
      <TextField label={t('Key')} value={apiKey} onChange={setApiKey} type="password" mono />
    </FormDialog>
  );
}
