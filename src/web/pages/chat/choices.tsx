// Who answers: the model, the identity that it speaks for, its memories and tools, behind one button.
import { useState } from 'react';
import type { AIModelDto, AvailableToolDto, IdentityDto } from '../../../client/index.ts';
import { t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Icon } from '../../ui/icon.tsx';
import { modelDetail, type Offer, Picker } from './picker.tsx';

export interface Choice {
  /** Empty for the default. */
  modelId: string;
  identityId: number | null;
  /** Whether replies recall what the identity remembers. */
  hydrate: boolean;
  /** Names or patterns of the tools that replies may use. */
  enabledTools: readonly string[];
}

interface Props {
  choice: Choice;
  /** Null for a chat that is still to begin: its tools are known once it has. */
  sessionId: number | null;
  onChange: (change: Partial<Choice>) => void;
}

export function Choices({ choice, sessionId, onChange }: Props) {
  const [open, setOpen] = useState(false);
  const models = useResource(may('AiRouterRead') ? 'chat models' : null, () =>
    client.aiModels.list({ query: { enabled: true, kind: 'Chat', pageSize: 200 } }),
  );
  const identities = useResource(may('IdentitiesRead') ? 'chat identities' : null, () =>
    client.identities.list({ query: { pageSize: 200, sort: 'name' } }),
  );
  const tools = useResource(open && sessionId !== null ? `chat tools ${sessionId}` : null, () =>
    client.chat.tools({ params: { sessionId: sessionId ?? 0 } }),
  );
  // The server's own word for the default.
  const modelId = choice.modelId === 'auto' ? '' : choice.modelId;
  const model = models.data?.items.find((one) => one.modelId === modelId);
  const identity = identities.data?.items.find(({ id }) => id === choice.identityId);
  const words = [
    model?.displayName ?? (modelId || t('Default model')),
    ...(choice.identityId === null ? [] : [identity?.displayName || identity?.name || `#${choice.identityId}`]),
    ...(choice.identityId !== null && !choice.hydrate ? [t('no memories')] : []),
  ];
  const offers = [
    ...modelOffers(models.data?.items ?? [], modelId, onChange),
    ...(identities.data ? identityOffers(identities.data.items, choice, onChange) : []),
    ...toolOffers(tools.data ?? [], choice, onChange),
  ];
  return (
    <>
      <button
        type="button"
        className="btn bare truncate"
        aria-haspopup="dialog"
        title={t('Who answers')}
        onClick={() => setOpen(true)}
      >
        <Icon name="models" />
        <span className="truncate">{words.join(' · ')}</span>
      </button>
      {open && (
        <Picker offers={offers} isLoading={!models.data && may('AiRouterRead')} onClose={() => setOpen(false)} />
      )}
    </>
  );
}

type Change = Props['onChange'];

function modelOffers(models: readonly AIModelDto[], modelId: string, onChange: Change): Offer[] {
  const offer = (id: string, label: string, detail: string): Offer => ({
    ...{ key: `model ${id}`, group: t('Models'), icon: 'models', label, detail, blocked: null },
    chosen: id === modelId,
    choose: () => onChange({ modelId: id }),
  });
  const unlisted = modelId !== '' && !models.some((one) => one.modelId === modelId);
  return [
    offer('', t('Default model'), t('routes choose, else the default of the server')),
    ...(unlisted ? [offer(modelId, modelId, '')] : []),
    ...models.map((one) => offer(one.modelId, one.displayName || one.modelId, modelDetail(one))),
  ];
}

function identityOffers(identities: readonly IdentityDto[], choice: Choice, onChange: Change): Offer[] {
  const { identityId, hydrate } = choice;
  const group = t('Identities');
  const offer = (id: number | null, label: string, detail: string): Offer => ({
    ...{ key: `identity ${id ?? ''}`, group, icon: 'identity', label, detail, blocked: null },
    chosen: id === identityId,
    choose: () => onChange({ identityId: id }),
  });
  return [
    offer(null, t('No identity'), t('the plain model')),
    ...identities.map(({ id, name, displayName }) => offer(id, displayName || name, displayName ? name : '')),
    {
      ...{ key: 'memories', group: t('Memories'), icon: 'memory', label: t('Recall memories') },
      detail: t('what the identity remembers is told to the model'),
      chosen: hydrate && identityId !== null,
      blocked: identityId === null ? t('Choose an identity first.') : null,
      choose: () => onChange({ hydrate: !hydrate }),
    },
  ];
}

function toolOffers(tools: readonly AvailableToolDto[], { enabledTools }: Choice, onChange: Change): Offer[] {
  return tools.map(({ name, displayName, description, allowedByPolicy, blockedReason }) => {
    const isNamed = enabledTools.includes(name);
    const byPattern = !isNamed && enabledTools.some((one) => one.endsWith('*') && name.startsWith(one.slice(0, -1)));
    return {
      ...{ key: `tool ${name}`, group: t('Tools'), icon: 'tool', label: displayName || name, detail: description },
      chosen: isNamed || byPattern,
      blocked: !allowedByPolicy
        ? (blockedReason ?? t('A policy forbids it.'))
        : byPattern
          ? t('Chosen by a pattern; change it in the settings of the chat.')
          : null,
      choose: () =>
        onChange({ enabledTools: isNamed ? enabledTools.filter((one) => one !== name) : [...enabledTools, name] }),
    };
  });
}
