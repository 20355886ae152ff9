// Who answers: the model, and the identity that it speaks for.
import { t } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';

export interface Choice {
  /** Empty for the default. */
  modelId: string;
  identityId: number | null;
}

export function Choices({ choice, onChange }: { choice: Choice; onChange: (change: Partial<Choice>) => void }) {
  const models = useResource(may('AiRouterRead') ? 'chat models' : null, () =>
    client.aiModels.list({ query: { enabled: true, kind: 'Chat', pageSize: 200 } }),
  );
  const identities = useResource(may('IdentitiesRead') ? 'chat identities' : null, () =>
    client.identities.list({ query: { pageSize: 200, sort: 'name' } }),
  );
  // The server's own word for the default.
  const modelId = choice.modelId === 'auto' ? '' : choice.modelId;
  const named = models.data?.items.map((one) => [one.modelId, one.displayName] as const) ?? [];
  const own = modelId && !named.some(([id]) => id === modelId) ? [[modelId, modelId]] : [];
  return (
    <>
      <select
        className="input bare"
        aria-label={t('Model')}
        value={modelId}
        onChange={(event) => onChange({ modelId: event.target.value })}
      >
        <option value="">{t('Default model')}</option>
        {[...own, ...named].map(([id, name]) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </select>
      {identities.data && (
        <select
          className="input bare"
          aria-label={t('Identity')}
          value={choice.identityId ?? ''}
          onChange={(event) => onChange({ identityId: Number(event.target.value) || null })}
        >
          <option value="">{t('No identity')}</option>
          {identities.data.items.map((one) => (
            <option key={one.id} value={one.id}>
              {one.displayName || one.name}
            </option>
          ))}
        </select>
      )}
    </>
  );
}
