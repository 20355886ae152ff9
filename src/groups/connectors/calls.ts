// Calls endpoints: fields become a request, the answer becomes fields, and no secret is in what is told.
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { createAuthenticator, secretsIn } from '../../outside/authentication.ts';
import { createDatabases } from '../../outside/databases.ts';
import type { Came, Going } from '../../outside/door.ts';
import { checkedInput } from '../../outside/fields.ts';
import { folderOf, workOnFile } from '../../outside/folders.ts';
import { hideValues } from '../../outside/hidden-values.ts';
import type { Outside } from '../../outside/outside.ts';
import { graphRequest, restRequest } from '../../outside/rest.ts';
import { tableStatement } from '../../outside/sql.ts';
import { accountOf } from './accounts.ts';
import type { ConnectorBook } from './book.ts';
import { incoming, outgoing, type Values } from './mapped.ts';
import { callable, methodOf, planOf } from './plans.ts';
import type { ConnectorDoc, EndpointDoc, MappingDoc } from './record.ts';

export interface Target {
  connector: ConnectorDoc;
  endpoint: EndpointDoc;
  mappings: readonly MappingDoc[];
}

export interface Called {
  content: string;
  isError: boolean;
}

export interface CallOptions {
  signal?: AbortSignal | undefined;
  timeoutMs?: number;
  /** The same for every attempt of one call. */
  idempotencyKey?: string;
}

export interface Calls {
  /** Calls an endpoint; what goes wrong is told, not thrown, unless the call was aborted. */
  call(target: Target, input: Record<string, unknown>, options?: CallOptions): Promise<Called>;
  /** Tries a connector: how it is, as `lastVerificationStatus` says it; null for a type that is verified elsewhere. */
  verify(connector: ConnectorDoc, timeoutMs: number): Promise<string | null>;
}

const usual = { timeoutMs: 25_000, mostBytes: 1024 * 1024, mostRows: 200 };
/** Characters of an answer that are told. */
const mostTold = 24_000;

// biome-ignore lint/complexity/noExcessiveLinesPerFunction: one function for each kind of connector, over the same door.
export function createCalls({ book, outside, clock }: { book: ConnectorBook; outside: Outside; clock: Clock }): Calls {
  const { door, vault } = outside;
  const authenticator = createAuthenticator({ door, clock });
  const databases = createDatabases(outside);

  /** Sends a request, once more with a new token where the old one is refused. */
  const send = async (connector: ConnectorDoc, going: Going, secrets: string[]): Promise<Came> => {
    const account = accountOf({ book, vault, clock }, connector);
    for (let attempt = 1; ; attempt++) {
      const signed = await authenticator.signed(account, going);
      secrets.push(...signed.secrets);
      const came = await door.request(signed.going);
      if (came.status !== 401 || attempt > 1 || !authenticator.refused(account, signed)) return came;
    }
  };

  const overHttp = async (
    { connector, endpoint, mappings }: Target,
    values: Values,
    options: CallOptions,
    secrets: string[],
  ) => {
    const { outbound } = planOf(connector, endpoint, mappings);
    const baseUrl = required(connector.baseUrl, 'baseUrl');
    const { path, methodSignature } = endpoint;
    const made =
      connector.type === 'GraphQl'
        ? graphRequest({ baseUrl, path, document: methodSignature ?? '', fields: outbound }, values)
        : restRequest({ baseUrl, path, method: methodOf(connector, endpoint).toUpperCase(), fields: outbound }, values);
    const key = made.method === 'POST' && options.idempotencyKey;
    const headers = { ...made.headers, ...(key && { 'idempotency-key': key }) };
    const came = await send(connector, { ...made, headers, ...limitsOf(connector, options) }, secrets);
    const said = readAnswer(came);
    if (came.status >= 400)
      throw new Refusal(`The server answered ${came.status}: ${asText(said).slice(0, 2000)}`, came.status);
    if (connector.type === 'GraphQl') {
      const { errors, data } = said as { errors?: unknown; data?: unknown };
      if (Array.isArray(errors) && errors.length > 0)
        throw new Refusal(`GraphQL: ${asText(errors).slice(0, 2000)}`, came.status);
      return { said: data, truncated: came.truncated };
    }
    return { said: said ?? { status: came.status }, truncated: came.truncated };
  };

  const onDatabase = async ({ connector, endpoint, mappings }: Target, values: Values, options: CallOptions) => {
    const { outbound, writes } = planOf(connector, endpoint, mappings);
    const connection = required(book.open(connector).connectionString, 'connectionString');
    const { methodSignature, tableName, schemaName } = endpoint;
    const named = Object.fromEntries(
      outbound.flatMap((field) => (field.name in values ? [[field.external, values[field.name]]] : [])),
    );
    const columns = outbound
      .filter(({ name }) => name in values)
      .map(({ external, path, isKey }) => ({ name: external, column: path ?? external, isKey }));
    const text =
      methodSignature ??
      tableStatement(
        databases.dialectOf(connection),
        methodOf(connector, endpoint),
        { schema: schemaName, name: tableName ?? '' },
        columns,
        usual.mostRows + 1,
      );
    const { tenantId } = connector;
    const limits = {
      timeoutMs: options.timeoutMs ?? usual.timeoutMs,
      mostRows: usual.mostRows,
      signal: options.signal,
    };
    const { rows, truncated, changed } = await databases.run(connection, {
      tenantId,
      text,
      values: named,
      writes,
      ...limits,
    });
    return { said: changed === null ? rows : { changed, ...(rows.length > 0 && { rows }) }, truncated };
  };

  const onFiles = async ({ connector, endpoint, mappings }: Target, values: Values) => {
    const folder = await folderOf(required(connector.baseUrl, 'baseUrl'), outside.foldersOf(connector.tenantId));
    const { outbound } = planOf(connector, endpoint, mappings);
    const content = outbound.find(({ path }) => path === 'body.$');
    const text = content ? values[content.name] : null;
    const path = (endpoint.path ?? '').replace(/\{(\w+)\}/g, (_, name: string) => {
      const field = outbound.find(({ external }) => external === name);
      return String((field && values[field.name]) ?? '');
    });
    const work = { method: methodOf(connector, endpoint), path, mostBytes: usual.mostBytes };
    return { said: await workOnFile(folder, { ...work, text: text == null ? null : String(text) }), truncated: false };
  };

  const limitsOf = ({ tenantId }: ConnectorDoc, { timeoutMs = usual.timeoutMs, signal }: CallOptions) => ({
    ...{ tenantId, timeoutMs, maxBytes: usual.mostBytes },
    ...(signal && { signal }),
  });

  return {
    call: async (target, input, options = {}) => {
      const { connector, endpoint, mappings } = target;
      const { outbound, inbound } = planOf(connector, endpoint, mappings);
      const secrets: string[] = [];
      try {
        secrets.push(...knownSecrets(book, connector));
        requireCallable(connector);
        const values = await outgoing(outbound, checkedInput(outbound, input));
        const { type } = connector;
        const { said, truncated } =
          type === 'Database'
            ? await onDatabase(target, values, options)
            : type === 'FileSystem'
              ? await onFiles(target, values)
              : await overHttp(target, values, options, secrets);
        const told = asText(await incoming(inbound, said));
        return { content: cut(hideValues(told, secrets), truncated), isError: false };
      } catch (error) {
        options.signal?.throwIfAborted();
        return { content: hideValues(failureText(error), secrets), isError: true };
      }
    },
    verify: async (connector, timeoutMs) => {
      if (!callable.has(connector.type)) return null;
      const asked = { method: 'GET', url: null as unknown as URL, ...limitsOf(connector, { timeoutMs }) };
      try {
        if (connector.type === 'Database') {
          const connection = required(book.open(connector).connectionString, 'connectionString');
          const probe = { text: 'SELECT 1', values: {}, writes: false, mostRows: 1, timeoutMs };
          await databases.run(connection, { tenantId: connector.tenantId, ...probe });
          return 'Ok';
        }
        const baseUrl = required(connector.baseUrl, 'baseUrl');
        if (connector.type === 'FileSystem') {
          await folderOf(baseUrl, outside.foldersOf(connector.tenantId));
          return 'Ok';
        }
        const url = new URL(baseUrl);
        if (connector.type === 'ObjectStorage') url.search = '?list-type=2&max-keys=1';
        const graph = {
          method: 'POST',
          body: '{"query":"{ __typename }"}',
          headers: { 'content-type': 'application/json' },
        };
        const { status } = await send(connector, { ...asked, url, ...(connector.type === 'GraphQl' && graph) }, []);
        return statusOf(status, connector.type);
      } catch (error) {
        return wordOf(error);
      }
    },
  };
}

class Refusal extends Error {
  readonly status: number;
  constructor(message: string, status: number) {
    super(message);
    this.status = status;
  }
}

const statusOf = (status: number, type: ConnectorDoc['type']): string => {
  if (status === 401 || status === 403 || status === 407) return 'AuthFailed';
  if (status >= 500) return 'Unreachable';
  // An address of REST need not be something itself; one that is asked for a thing by its protocol is.
  return status >= 400 && type !== 'RestApi' ? 'Misconfigured' : 'Ok';
};

function wordOf(error: unknown): string {
  if (!(error instanceof Fault)) return 'Unreachable';
  if (error.code === 'CONNECTOR_TIMEOUT') return 'Timeout';
  if (error.code === 'CONNECTOR_ERROR') return error.field === 'credentials' ? 'AuthFailed' : 'Unreachable';
  return 'Misconfigured';
}

/** Values that the answer may not say back. */
function knownSecrets(book: ConnectorBook, connector: ConnectorDoc): string[] {
  const { credentials, connectionString, headers } = book.open(connector);
  const url = connectionString !== null && URL.canParse(connectionString) ? new URL(connectionString) : null;
  const password = url?.password ? [url.password, decodeURIComponent(url.password)] : [];
  const whole = url?.password ? [connectionString as string] : [];
  return [...secretsIn(credentials), ...Object.values(headers), ...password, ...whole];
}

function requireCallable({ type, enabled, name }: ConnectorDoc): void {
  if (!enabled)
    throw new Fault('CONFLICT', `The connector "${name}" is switched off.`, {
      hint: 'Switch it on with PATCH /api/connectors/{id}.',
    });
  if (callable.has(type)) return;
  throw new Fault('NOT_CONFIGURED', `Endpoints of the type ${type} cannot be called.`, { isFinal: true });
}

function required(value: string | null, name: string): string {
  if (value !== null) return value;
  throw new Fault('NOT_CONFIGURED', `The connector has no ${name}.`, {
    hint: `Set ${name} with PATCH /api/connectors/{id}.`,
  });
}

function readAnswer({ body, headers }: Came): unknown {
  const text = body.toString('utf8');
  if (text === '') return null;
  if (/\bjson\b/.test(headers['content-type'] ?? '') || /^[[{]/.test(text)) {
    try {
      return JSON.parse(text);
    } catch {
      return text;
    }
  }
  return text;
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? 'null'));

const cut = (text: string, truncated: boolean): string =>
  text.length > mostTold || truncated
    ? `${text.slice(0, mostTold)}\n[The answer is longer; this is its beginning.]`
    : text;

function failureText(error: unknown): string {
  if (error instanceof Fault) return error.text;
  return error instanceof Refusal ? error.message : 'The call failed.';
}
