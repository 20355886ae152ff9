// The keys of a provider: what each has spent, added and removed.
import { type FormEvent, useState } from 'react';
import type { AIProviderDto, AIProviderKeyDto } from '../../../client/index.ts';
import { formatCost, t } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Confirm } from '../../ui/confirm.tsx';
import { sayError } from '../../ui/toast.tsx';

export function ProviderKeys({ provider }: { provider: AIProviderDto }) {
  const providerId = provider.id;
  const [removing, setRemoving] = useState<AIProviderKeyDto | null>(null);
  const keys = useResource(`provider keys ${providerId}`, () =>
    client.aiProviders.listKeys({ params: { providerId } }),
  );
  return (
    <div className="stack tight">
      {keys.data?.map((key) => (
        <div key={key.id} className="row small">
          <span className="mono">…{key.last4}</span>
          <span className="muted grow truncate">{key.label}</span>
          <span className="num">{formatCost(key.spentThisMonthUsd)}</span>
          <IconButton
            icon="close"
            label={t('Remove the key …{last4}', { last4: key.last4 })}
            onClick={() => setRemoving(key)}
          />
        </div>
      ))}
      {removing && (
        <Confirm
          title={t('Remove the key …{last4} of {name}?', { last4: removing.last4, name: provider.name })}
          action={t('Remove')}
          onConfirm={() => client.aiProviders.removeKey({ params: { id: removing.id } }).then(keys.reload)}
          onClose={() => setRemoving(null)}
        >
          <p>
            {keys.data?.length === 1
              ? t('It is the only key: calls to this provider will carry none.')
              : t('Calls will use the other keys of this provider.')}
          </p>
        </Confirm>
      )}
      <NewKey providerId={providerId} onDone={keys.reload} />
    </div>
  );
}

function NewKey({ providerId, onDone }: { providerId: number; onDone: () => void }) {
  const [secret, setSecret] = useState('');
  const add = (event: FormEvent) => {
    event.preventDefault();
    client.aiProviders.createKey({ params: { providerId }, body: { label: t('Custom'), apiKey: secret } }).then(() => {
      setSecret('');
      onDone();
    }, sayError);
  };
  return (
    <form className="row" onSubmit={add}>
      <input
        className="input mono"
        type="password"
        value={secret}
        autoComplete="off"
        aria-label={t('New key of the provider')}
        placeholder={t('Add a key…')}
        onChange={(event) => setSecret(event.target.value)}
      />
      <Button type="submit" disabled={!secret}>
        {t('Add')}
      </Button>
    </form>
  );
}
