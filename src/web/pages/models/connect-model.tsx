// Connects models: where they are and a key, tried at once; then what was found, and which one answers by default.
import { useState } from 'react';
import type { AIModelDto, AIProviderKind, AIProviderTestDto } from '../../../client/index.ts';
import { formatNumber, plural, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { toApiError } from '../../state/resource.ts';
import { Button } from '../../ui/button.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Chip } from '../../ui/status.tsx';
import { say } from '../../ui/toast.tsx';
import { useAction } from '../../ui/use-action.ts';

/** As their makers write them. */
export const kindNames: Record<AIProviderKind, string> = {
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

/** Providers that run at the user's own address, with their usual one; the others have a fixed address. */
const places: Partial<Record<AIProviderKind, string>> = {
  OpenAiCompatible: 'https://llm.example.org/v1',
  AzureOpenAi: 'https://name.openai.azure.com/openai/v1',
  Ollama: 'http://127.0.0.1:11434/v1',
  Vllm: 'http://127.0.0.1:8000/v1',
  LlamaCpp: 'http://127.0.0.1:8080/v1',
};

const needsAddress = (kind: AIProviderKind) => kind === 'OpenAiCompatible' || kind === 'AzureOpenAi';

interface Found {
  test: AIProviderTestDto;
  models: AIModelDto[];
}

interface ConnectProps {
  onClose: () => void;
  onDone: () => void;
}

export function ConnectModel({ onClose, onDone }: ConnectProps) {
  const [found, setFound] = useState<Found | null>(null);
  return found ? (
    <FoundModels {...found} onClose={onClose} />
  ) : (
    <ProviderForm
      onClose={onClose}
      onFound={(one) => {
        setFound(one);
        onDone();
      }}
    />
  );
}

interface Place {
  kind: AIProviderKind;
  name: string;
  baseUrl: string;
  apiKey: string;
}

/** Makes the provider and looks at its models. What does not answer is not kept: the answer says why then. */
async function connect({ kind, name, baseUrl, apiKey }: Place): Promise<Found | string> {
  const address = baseUrl || (needsAddress(kind) ? '' : places[kind]);
  const body = { name: name || kind.toLowerCase(), kind, syncModels: true };
  const provider = await client.aiProviders.create({
    body: { ...body, ...(address ? { baseUrl: address } : {}), ...(apiKey ? { apiKey } : {}) },
  });
  const params = { id: provider.id };
  const { items } = await client.aiModels.list({ query: { providerId: provider.id, pageSize: 200 } });
  const test = await client.aiProviders.test({ params, body: {} });
  if (test.ok || items.length > 0) return { test, models: items };
  await client.aiProviders.remove({ params, body: { force: true } });
  return test.error ?? t('The provider does not answer.');
}

function ProviderForm({ onClose, onFound }: { onClose: () => void; onFound: (found: Found) => void }) {
  const [place, setPlace] = useState<Place>({ kind: 'OpenAi', name: '', baseUrl: '', apiKey: '' });
  const [failure, setFailure] = useState<string | null>(null);
  const { kind, baseUrl, apiKey } = place;
  const submit = async () => {
    setFailure(null);
    try {
      const found = await connect(place);
      if (typeof found === 'string') setFailure(found);
      else onFound(found);
    } catch (error) {
      const { message, hint } = toApiError(error);
      setFailure([message, hint].filter(Boolean).join(' '));
    }
  };
  return (
    <FormDialog
      title={t('Connect a model')}
      action={t('Test and connect')}
      ready={baseUrl !== '' || apiKey !== '' || (places[kind] !== undefined && !needsAddress(kind))}
      keepOpen
      onSubmit={submit}
      onClose={onClose}
    >
      <PlaceFields place={place} onChange={(change) => setPlace({ ...place, ...change })} />
      {failure && (
        <div className="banner" data-tone="bad" role="alert">
          {failure}
        </div>
      )}
    </FormDialog>
  );
}

function PlaceFields({ place, onChange }: { place: Place; onChange: (change: Partial<Place>) => void }) {
  const { kind, name, baseUrl, apiKey } = place;
  const usual = places[kind];
  return (
    <>
      <SelectField
        label={t('Provider')}
        value={kind}
        onChange={(chosen) => onChange({ kind: chosen })}
        options={Object.entries(addable) as [AIProviderKind, string][]}
      />
      {usual !== undefined && (
        <TextField
          name="baseUrl"
          label={t('Base URL')}
          value={baseUrl}
          onChange={(text) => onChange({ baseUrl: text })}
          type="url"
          placeholder={usual}
          hint={t('The OpenAI-compatible endpoint, as the server reaches it.')}
        />
      )}
      <TextField
        name="apiKey"
        label={t('API key')}
        value={apiKey}
        onChange={(text) => onChange({ apiKey: text })}
        type="password"
        mono
        hint={t('Encrypted on the server and never shown again.')}
      />
      <TextField
        label={t('Name')}
        value={name}
        onChange={(text) => onChange({ name: text })}
        placeholder={kind.toLowerCase()}
        hint={t('The prefix of its model IDs, such as openai in openai:gpt-5-mini.')}
      />
    </>
  );
}

/** A default route makes runs and chats that name no model ask for this one. */
async function makeDefault({ id }: AIModelDto) {
  const { items } = await client.aiRoutes.list({ query: { pageSize: 200 } });
  const targets = [{ aiModelId: id }];
  const route = items.find(({ isDefault, kind }) => isDefault && kind === 'Chat');
  if (route) await client.aiRoutes.setTargets({ params: { id: route.id }, body: { targets } });
  else await client.aiRoutes.create({ body: { name: 'Default', policy: 'Priority', isDefault: true, targets } });
}

function FoundModels({ test, models, onClose }: Found & { onClose: () => void }) {
  const chats = models.filter(({ kind }) => kind === 'Chat');
  const [chosen, setChosen] = useState(chats[0] ? String(chats[0].id) : '');
  const { busy, act } = useAction();
  const use = async () => {
    const model = chats.find(({ id }) => String(id) === chosen);
    if (!model) return;
    if (!(await act(() => makeDefault(model)))) return;
    say(t('{model} is the default model', { model: model.displayName }));
    onClose();
  };
  return (
    <Dialog
      title={t('Connected')}
      onClose={onClose}
      foot={
        <>
          <Button onClick={onClose}>{t('Not now')}</Button>
          <Button kind="primary" disabled={busy || !chosen} onClick={() => void use()}>
            {t('Use as the default')}
          </Button>
        </>
      }
    >
      <div className="stack">
        <p className="row wrap">
          <Chip shape={test.ok ? 'tick' : 'gauge'} tone={test.ok ? 'good' : 'warn'}>
            {test.ok ? t('Reachable') : t('Not reachable yet')}
          </Chip>
          <span className="muted">
            {test.ok
              ? t('{model} in {ms} ms', { model: test.modelId ?? '', ms: formatNumber(test.latencyMs) })
              : test.error}
          </span>
        </p>
        <p>{plural(models.length, '{n} model found.', '{n} models found.')}</p>
        <ul className="found-models mono small">
          {models.map((one) => (
            <li key={one.id} className="truncate">
              {one.modelId}
            </li>
          ))}
        </ul>
        {chats.length > 0 && (
          <SelectField
            label={t('Default model for runs and chats')}
            value={chosen}
            onChange={setChosen}
            options={chats.map((one) => [String(one.id), one.displayName] as const)}
          />
        )}
      </div>
    </Dialog>
  );
}
