// Makes a connector: what it is, where it leads, and its credentials, which are never shown again.
import { useState } from 'react';
import type { ConnectorDto } from '../../../client/index.ts';
import { AuthMethod } from '../../../contract/enums.ts';
import { t, words } from '../../base/i18n.ts';
import { client } from '../../state/app.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { useDraftRecord } from '../../ui/use-draft-record.ts';
import { UnitField } from '../organisation/unit-field.tsx';
import { mailCredentials, noMail } from './mail-draft.ts';
import { MailFields } from './mail-fields.tsx';
import { typeName } from './marks.tsx';

const types = [
  'RestApi',
  'GraphQl',
  'Database',
  'FileSystem',
  'ObjectStorage',
  'Webhook',
  'Email',
  'Mcp',
  'Custom',
] as const;
const empty = {
  ...{ name: '', type: 'RestApi', address: '', authMethod: 'None', description: '', unit: '' },
  transport: 'StreamableHttp',
  mail: noMail,
};
const examples = {
  database: 'postgres://user:password@host/database',
  command: 'npx -y @modelcontextprotocol/server-everything',
  address: 'https://api.example.com/v1',
};
/** How MCP servers are reached. */
const transports = ['StreamableHttp', 'Sse', 'Stdio'] as const;

export function ConnectorDialog({ onClose, onDone }: { onClose: () => void; onDone: (made: ConnectorDto) => void }) {
  const { written, write, clear } = useDraftRecord('connector.new', empty);
  // Secrets are in no draft, which the browser keeps.
  const [credentials, setCredentials] = useState('');
  const [connection, setConnection] = useState('');
  const isDatabase = written.type === 'Database';
  const isCommand = isStdio(written);
  const save = async () => {
    const made = await client.connectors.create({ body: bodyOf(written, { credentials, connection }) });
    clear();
    onDone(made);
  };
  return (
    <FormDialog
      title={t('New connector')}
      action={t('Save')}
      ready={written.name.trim() !== ''}
      onSubmit={save}
      onClose={onClose}
      onDiscard={clear}
    >
      <TextField label={t('Name')} value={written.name} onChange={(name) => write({ name })} required />
      <SelectField
        label={t('Type')}
        value={written.type}
        onChange={(type) => {
          // What is a key of one type is no password of another.
          setCredentials('');
          write({ type });
        }}
        options={types.map((one) => [one, typeName({ type: one })] as const)}
      />
      {written.type === 'Mcp' && (
        <SelectField
          label={t('Transport')}
          value={written.transport}
          onChange={(transport) => write({ transport })}
          options={transports.map((one) => [one, words(one)] as const)}
        />
      )}
      {leadsSomewhere(written) && (
        <TextField
          name={isDatabase ? 'connectionString' : isCommand ? 'mcpEndpoint' : 'baseUrl'}
          label={isDatabase ? t('Connection string') : isCommand ? t('Command') : t('Address')}
          {...(isDatabase ? { type: 'password' as const } : {})}
          value={isDatabase ? connection : written.address}
          onChange={(text) => (isDatabase ? setConnection(text) : write({ address: text }))}
          placeholder={isDatabase ? examples.database : isCommand ? examples.command : examples.address}
        />
      )}
      {written.type === 'Email' ? (
        <MailFields
          place={written.mail}
          password={credentials}
          onPlace={(change) => write({ mail: { ...written.mail, ...change } })}
          onPassword={setCredentials}
        />
      ) : (
        <AccessFields written={written} onWrite={write} credentials={credentials} onCredentials={setCredentials} />
      )}
      <TextField
        label={t('Description')}
        value={written.description}
        onChange={(description) => write({ description })}
      />
      <ForUnit value={written.unit} onChange={(unit) => write({ unit })} />
    </FormDialog>
  );
}

const ForUnit = (props: { value: string; onChange: (unit: string) => void }) => (
  <UnitField
    label={t('For the work of')}
    none={t('Everybody')}
    hint={t('A unit, and all units below it.')}
    {...props}
  />
);

interface AccessProps {
  written: typeof empty;
  onWrite: (change: Partial<typeof empty>) => void;
  credentials: string;
  onCredentials: (text: string) => void;
}

function AccessFields({ written, onWrite, credentials, onCredentials }: AccessProps) {
  return (
    <>
      <SelectField
        label={t('Authentication')}
        value={written.authMethod}
        onChange={(authMethod) => onWrite({ authMethod })}
        options={AuthMethod.options.map((one) => [one, words(one)] as const)}
      />
      <TextField
        label={t('Credentials')}
        type="password"
        value={credentials}
        onChange={onCredentials}
        hint={hintOf(written)}
      />
    </>
  );
}

/** What its credentials are. */
function hintOf({ type, authMethod }: typeof empty): string {
  if (type === 'Mcp' && authMethod === 'OAuth2AuthorizationCode')
    return t('May stay empty: the server says who signs in. Or JSON with a clientId that is registered there.');
  if (type === 'ObjectStorage' && authMethod === 'ApiKey')
    return t('JSON with accessKeyId and secretAccessKey; also region and sessionToken. Kept sealed.');
  return t('A text, or JSON as the authentication needs it. Kept sealed and never shown again.');
}

/** Whether its type has an address, or what stands for one. */
const leadsSomewhere = ({ type }: typeof empty) => type !== 'Webhook' && type !== 'Email';

/** An MCP server that is a command: it has no address. */
const isStdio = ({ type, transport }: typeof empty) => type === 'Mcp' && transport === 'Stdio';

function bodyOf(written: typeof empty, { credentials, connection }: { credentials: string; connection: string }) {
  const { name, type, address, description, transport } = written;
  return {
    name: name.trim(),
    type: type as (typeof types)[number],
    authMethod: type === 'Email' ? ('Basic' as const) : (written.authMethod as AuthMethod),
    ...(type === 'Database'
      ? connection.trim() && { connectionString: connection.trim() }
      : leadsSomewhere(written) &&
        address.trim() && { [isStdio(written) ? 'mcpEndpoint' : 'baseUrl']: address.trim() }),
    ...(type === 'Mcp' && { mcpTransportType: transport as (typeof transports)[number] }),
    ...(type === 'Custom' && { subType: 'A2A' }),
    ...(type === 'Email'
      ? { credentials: mailCredentials(written.mail, credentials) }
      : credentials && { credentials }),
    ...(description.trim() && { description: description.trim() }),
    ...(written.unit && { orgUnitId: Number(written.unit) }),
  };
}
