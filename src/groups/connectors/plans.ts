// What an endpoint does and takes, by the type of its connector: the schema of its tool, its risk, and what is refused.
import { Fault } from '../../kernel/fault.ts';
import { type Field, jsonTypeOf } from '../../outside/fields.ts';
import { placeholdersOf, readsOnly, variablesOf } from '../../outside/rest.ts';
import { parametersOf } from '../../outside/sql.ts';
import type { ConnectorDoc, EndpointDoc, MappingDoc } from './record.ts';

export interface Plan {
  /** What is sent to the other side. */
  outbound: Field[];
  /** What is made of its answer; empty where it is told as it is. */
  inbound: Field[];
  risk: 'Safe' | 'Moderate' | 'Dangerous';
  writes: boolean;
}

/** Types whose endpoints can be called. */
export const callable = new Set<ConnectorDoc['type']>([
  'RestApi',
  'GraphQl',
  'Database',
  'FileSystem',
  'ObjectStorage',
]);

const reading = new Set(['Get', 'Head', 'Options', 'Query']);
const destructive = new Set(['Delete', 'Execute']);

export function planOf(
  connector: Pick<ConnectorDoc, 'type'>,
  endpoint: Pick<EndpointDoc, 'method' | 'path' | 'methodSignature' | 'tableName' | 'isStoredProcedure'>,
  mappings: readonly MappingDoc[],
): Plan {
  const method = methodOf(connector, endpoint);
  const isGraph = connector.type === 'GraphQl';
  const writes = isGraph ? !readsOnly(endpoint.methodSignature ?? '') : !reading.has(method);
  const risk = !writes ? 'Safe' : destructive.has(method) ? 'Dangerous' : 'Moderate';
  const own = mappings.filter(({ direction }) => direction !== 'Inbound').map(toField);
  return {
    outbound: [...own, ...impliedFields(connector.type, method, endpoint).filter((one) => !isMapped(one, own))],
    inbound: mappings.filter(({ direction }) => direction !== 'Outbound').map(toField),
    risk,
    writes,
  };
}

/** The method of an endpoint, or the usual one of its connector's type. */
export const methodOf = (
  { type }: Pick<ConnectorDoc, 'type'>,
  { method, methodSignature }: Pick<EndpointDoc, 'method' | 'methodSignature'>,
): string => method ?? (type === 'GraphQl' || (type === 'Database' && methodSignature) ? 'Query' : 'Get');

const isMapped = (implied: Field, own: readonly Field[]) =>
  own.some(({ external, path, name }) => [external, name, path?.split('.').at(-1)].includes(implied.external));

/** Fields that a template names without a mapping, and the body where nothing says what is in it. */
function impliedFields(
  type: ConnectorDoc['type'],
  method: string,
  { path, methodSignature, tableName }: Pick<EndpointDoc, 'path' | 'methodSignature' | 'tableName'>,
): Field[] {
  if (type === 'GraphQl') return variablesOf(methodSignature ?? '');
  if (type === 'Database')
    return tableName ? [] : parametersOf(methodSignature ?? '').map((name) => plainField(name, null, true));
  const [route = '', query = ''] = (path ?? '').split(/\?(.*)/s);
  const named = [
    ...placeholdersOf(route).map((name) => plainField(name, 'string', true)),
    ...placeholdersOf(query).map((name) => ({ ...plainField(name, 'string', false), path: `path.${name}` })),
  ];
  const takesText = (type === 'FileSystem' || type === 'ObjectStorage') && (method === 'Put' || method === 'Post');
  return takesText ? [...named, { ...plainField('content', 'string', true), path: 'body.$' }] : named;
}

const plainField = (name: string, type: string | null, isRequired: boolean): Field => ({
  ...{ name, external: name, path: null, type, isRequired },
  ...{ isKey: false, expression: null, fallback: null, about: null },
});

const toField = (doc: MappingDoc): Field => ({
  name: doc.internalFieldName ?? doc.externalFieldName,
  external: doc.externalFieldName,
  path: doc.externalFieldPath,
  type: doc.dataType,
  isRequired: doc.isRequired,
  isKey: doc.isKey,
  expression: doc.transformExpression,
  fallback: doc.defaultValue,
  about: doc.description,
});

const methodsOf: Partial<Record<ConnectorDoc['type'], readonly string[]>> = {
  RestApi: ['Get', 'Post', 'Put', 'Patch', 'Delete', 'Head', 'Options'],
  GraphQl: ['Query', 'Execute', 'Post'],
  Database: ['Get', 'Query', 'Post', 'Put', 'Patch', 'Delete', 'Execute'],
  FileSystem: ['Get', 'Put', 'Post', 'Delete'],
  ObjectStorage: ['Get', 'Head', 'Put', 'Delete'],
};

/** @throws Fault VALIDATION_FAILED for an endpoint that its connector's type cannot have */
export function checkEndpoint(
  connector: Pick<ConnectorDoc, 'type'>,
  endpoint: Pick<
    EndpointDoc,
    'method' | 'path' | 'methodSignature' | 'tableName' | 'isStoredProcedure' | 'webhookEventType'
  >,
): void {
  const { type } = connector;
  const { method, path, methodSignature, tableName, webhookEventType } = endpoint;
  if (type === 'Webhook' && webhookEventType === null)
    throw invalid(
      'webhookEventType',
      'An endpoint of a connector of the type Webhook listens for one kind of event',
      'Give webhookEventType, e.g. order.created.',
    );
  if (type !== 'Webhook' && webhookEventType !== null)
    throw invalid(
      'webhookEventType',
      `Endpoints of the type ${type} are called, and listen for nothing`,
      'Make a connector of the type Webhook for what the other system tells by itself.',
    );
  const allowed = methodsOf[type];
  if (allowed && method !== null && !allowed.includes(method))
    throw invalid(
      'method',
      `A connector of the type ${type} has no method ${method}`,
      `Use one of ${allowed.join(', ')}.`,
    );
  if (type === 'GraphQl' && !methodSignature)
    throw invalid(
      'methodSignature',
      'A GraphQL endpoint needs its document',
      'Give methodSignature, e.g. query ($id: ID!) { user(id: $id) { name } }.',
    );
  if (type === 'Database' && !tableName === !methodSignature)
    throw invalid(
      'methodSignature',
      'A database endpoint needs a statement or a table',
      'Give methodSignature, e.g. SELECT * FROM orders WHERE id = :id, or tableName.',
    );
  if (type === 'Database' && endpoint.isStoredProcedure)
    throw invalid(
      'isStoredProcedure',
      'Procedures are called by their statement',
      'Give methodSignature, e.g. CALL archive(:id), with the method Execute.',
    );
  if (path !== null && (/^[a-z][a-z0-9+.-]*:/i.test(path) || path.split(/[/?]/).includes('..')))
    throw invalid(
      'path',
      'The path has to be one below the baseUrl of the connector',
      'Give e.g. /users/{id}?expand={expand}.',
    );
}

/** @throws Fault VALIDATION_FAILED */
export function checkMapping({
  dataType,
  defaultValue,
  externalFieldPath,
}: Pick<MappingDoc, 'dataType' | 'defaultValue' | 'externalFieldPath'>): void {
  const type = jsonTypeOf(dataType);
  if (externalFieldPath !== null && /(^|\.)(__proto__|constructor|prototype)(\.|$)/.test(externalFieldPath))
    throw invalid('externalFieldPath', 'A path names a prototype', 'Give a path such as body.user.name.');
  if (defaultValue === null || type === null || type === 'string') return;
  try {
    JSON.parse(defaultValue);
  } catch {
    throw invalid('defaultValue', `The default is no ${type}`, 'Give it as JSON.');
  }
}

const invalid = (field: string, what: string, hint: string) =>
  new Fault('VALIDATION_FAILED', `${what}.`, { field, hint });
