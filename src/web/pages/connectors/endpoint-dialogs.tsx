// Makes an endpoint, and calls one by hand.
import { useState } from 'react';
import type { AgentToolInfo, ConnectorDto, ConnectorEndpointDto, EndpointCallDto } from '../../../client/index.ts';
import { EndpointMethod } from '../../../contract/enums.ts';
import { formatNumber, t, words } from '../../base/i18n.ts';
import { client, may } from '../../state/app.ts';
import { useResource } from '../../state/resource.ts';
import { Json } from '../../ui/code.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useDraftRecord } from '../../ui/use-draft-record.ts';

interface EndpointProps {
  connector: ConnectorDto;
  onClose: () => void;
  onDone: () => void;
}

export function EndpointDialog({ connector, onClose, onDone }: EndpointProps) {
  const empty = { name: '', method: '', call: '', description: '' };
  const { written, write, clear } = useDraftRecord(`endpoint.new.${connector.id}`, empty);
  const isWebhook = connector.type === 'Webhook';
  const isText = connector.type === 'GraphQl' || connector.type === 'Database';
  const save = async () => {
    const { name, method, call, description } = written;
    await client.connectors.createEndpoint({
      params: { connectorId: connector.id },
      body: {
        name: name.trim(),
        ...(method && { method: method as EndpointMethod }),
        ...(call.trim() &&
          (isWebhook
            ? { webhookEventType: call.trim() }
            : isText
              ? { methodSignature: call.trim() }
              : { path: call.trim() })),
        ...(description.trim() && { description: description.trim() }),
      },
    });
    clear();
    onDone();
  };
  return (
    <FormDialog
      title={t('New endpoint')}
      action={t('Save')}
      ready={written.name.trim() !== ''}
      onSubmit={save}
      onClose={onClose}
      onDiscard={clear}
    >
      <TextField label={t('Name')} value={written.name} onChange={(name) => write({ name })} required />
      {!isWebhook && (
        <SelectField
          label={t('Method')}
          value={written.method}
          onChange={(method) => write({ method })}
          options={[['', t('Usual')], ...EndpointMethod.options.map((one) => [one, words(one)] as const)]}
        />
      )}
      <TextField
        mono
        name={isWebhook ? 'webhookEventType' : isText ? 'methodSignature' : 'path'}
        label={isWebhook ? t('Event type') : isText ? t('Statement or document') : t('Path')}
        value={written.call}
        onChange={(call) => write({ call })}
        {...(isText ? { rows: 4 } : { placeholder: isWebhook ? 'order.created' : '/users/{id}?expand={expand}' })}
        hint={
          isWebhook
            ? t('Routines wait for it as eventType of connector.webhook.')
            : isText
              ? t('Parameters: :name in SQL, $name in GraphQL.')
              : t('Below the address; fields in braces.')
        }
      />
      <TextField
        label={t('Description')}
        value={written.description}
        onChange={(description) => write({ description })}
        hint={t('Agents read it to know when to call.')}
      />
    </FormDialog>
  );
}

export function TryDialog({ endpoint, onClose }: { endpoint: ConnectorEndpointDto; onClose: () => void }) {
  const { id } = endpoint;
  const { written, write, clear } = useDraftRecord(`endpoint.try.${id}`, { input: useBlank(endpoint) });
  const [result, setResult] = useState<EndpointCallDto | null>(null);
  const call = async () => {
    setResult(await client.connectors.callEndpoint({ params: { id }, body: { input: fieldsIn(written.input) } }));
  };
  return (
    <FormDialog
      wide
      title={t('Try {name}', { name: endpoint.name })}
      action={t('Call')}
      onSubmit={call}
      onClose={onClose}
      onDiscard={clear}
      keepOpen
    >
      <TextField
        mono
        name="input"
        label={t('Fields, as JSON')}
        value={written.input}
        onChange={(input) => write({ input })}
        rows={4}
      />
      {result && (
        <section aria-label={t('Answer')}>
          <p className="small muted">
            {result.ok ? t('Done in {ms} ms.', { ms: formatNumber(result.durationMs) }) : t('It failed.')}
          </p>
          <Json value={result.content} />
        </section>
      )}
    </FormDialog>
  );
}

/** The fields that an endpoint takes, as JSON to fill in: what stays null is left out of the call. */
function useBlank({ connectorId, name }: ConnectorEndpointDto): string {
  const { data } = useResource(may('AgentConfigRead') ? `fields ${connectorId} ${name}` : null, () =>
    client.agentTools.list({ query: { source: 'Connector' } }),
  );
  const isIts = (one: AgentToolInfo) => one.connectorId === connectorId && one.displayName.endsWith(`: ${name}`);
  const tool = data?.find(isIts);
  if (!tool) return '{}';
  const { properties = {} } = JSON.parse(tool.inputSchemaJson) as {
    properties?: Record<string, { default?: unknown }>;
  };
  const blanks = Object.entries(properties).map(([field, { default: usual = null }]) => [field, usual]);
  return blanks.length === 0 ? '{}' : JSON.stringify(Object.fromEntries(blanks), null, 2);
}

/** @throws an error that says what is wrong */
function fieldsIn(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text.trim() || '{}');
  } catch (error) {
    throw new Error(t('The fields are not JSON: {why}', { why: (error as Error).message }));
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(t('The fields are an object, such as {example}', { example: '{ "id": 7 }' }));
  return value as Record<string, unknown>;
}
