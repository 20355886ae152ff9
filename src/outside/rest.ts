// Makes requests of REST and GraphQL endpoints from their templates and fields; nothing given leads to another server or folder.
import { Fault } from '../kernel/fault.ts';
import type { Going } from './door.ts';
import { type Field, putAt } from './fields.ts';

/** Names between braces of a path and query template, e.g. `id` of `/users/{id}`. */
export const placeholdersOf = (template: string): string[] => [
  ...new Set([...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)),
];

const bodiless = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS']);

/** Where a field goes, and by which name: `query.limit`, `header.X-Tag`, `path.id`, `body.user.name`. */
function placeOf({ external, path }: Field, template: string, method: string): [string, string] {
  const [, place, rest] = /^(path|query|header|body)\.(.+)$/.exec(path ?? '') ?? [];
  if (place && rest) return [place, rest];
  if (placeholdersOf(template).includes(external)) return ['path', external];
  return [bodiless.has(method) ? 'query' : 'body', path ?? external];
}

interface Template {
  baseUrl: string;
  path: string | null;
  method: string;
  fields: readonly Field[];
}

/** A value as part of an address. */
const textOf = (value: unknown): string => (typeof value === 'object' ? JSON.stringify(value) : String(value));

/**
 * The request that an endpoint's template and values make.
 *
 * @throws Fault VALIDATION_FAILED where a value would change the path beyond its place
 */
export function restRequest(
  { baseUrl, path, method, fields }: Template,
  values: Readonly<Record<string, unknown>>,
): Pick<Going, 'url' | 'method' | 'headers' | 'body'> {
  const template = path ?? '';
  const inPath: Record<string, string> = {};
  const query: [string, string][] = [];
  const headers: Record<string, string> = { accept: 'application/json, */*;q=0.5' };
  const body: Record<string, unknown> = {};
  let whole: unknown;
  for (const field of fields) {
    const value = values[field.name];
    if (value === undefined || value === null) continue;
    const [place, name] = placeOf(field, template, method);
    if (place === 'path') inPath[name] = textOf(value);
    else if (place === 'query')
      for (const one of Array.isArray(value) ? value : [value]) query.push([name, textOf(one)]);
    else if (place === 'header') headers[name.toLowerCase()] = headerText(name, textOf(value));
    else if (name === '$') whole = value;
    else putAt(body, name, value);
  }
  const url = addressOf(baseUrl, template, inPath);
  for (const [name, value] of query) url.searchParams.append(name, value);
  const sends = !bodiless.has(method) && (whole !== undefined || Object.keys(body).length > 0);
  // A text for the whole body goes as it is.
  const isText = typeof whole === 'string';
  if (sends) headers['content-type'] ??= isText ? 'text/plain; charset=utf-8' : 'application/json';
  return { url, method, headers, body: sends ? ((isText ? whole : JSON.stringify(whole ?? body)) as string) : null };
}

function addressOf(baseUrl: string, template: string, values: Record<string, string>): URL {
  const [path = '', query = ''] = template.split(/\?(.*)/s);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw wrong(`The field "${name}" of the path is missing`);
    // Browsers and servers take these for steps in the tree of folders, also where they are escaped.
    if (value === '' || value === '.' || value === '..') throw wrong(`"${value}" cannot be a part of a path`);
    return encodeURIComponent(value);
  });
  const base = new URL(baseUrl);
  const url = new URL(base);
  const from = base.pathname.replace(/\/$/, '');
  url.pathname = filled === '' ? base.pathname : `${from}/${filled.replace(/^\//, '')}`;
  for (const [name, value] of new URLSearchParams(query)) {
    const only = /^\{(\w+)\}$/.exec(value);
    const given = only ? values[only[1] as string] : value.replace(/\{(\w+)\}/g, (_, one: string) => values[one] ?? '');
    if (given !== undefined) url.searchParams.append(name, given);
  }
  if (url.origin !== base.origin || !url.pathname.startsWith(from))
    throw wrong('The path leads out of the address of its connector');
  return url;
}

/** Headers that the connection or the authentication writes. */
const own = /^(host|content-length|transfer-encoding|connection|upgrade|authorization|cookie|proxy-.*)$/i;

function headerText(name: string, value: string): string {
  if (own.test(name) || !/^[\w!#$%&'*+.^`|~-]+$/.test(name) || /[\r\n\0]/.test(value))
    throw wrong(`The header "${name.slice(0, 50)}" cannot be set`);
  return value;
}

const wrong = (what: string) => new Fault('VALIDATION_FAILED', `${what}.`, { isFinal: true });

/** Whether a GraphQL document only reads. */
export const readsOnly = (document: string): boolean =>
  !/(^|[}\s])(mutation|subscription)\b/.test(document.replace(/#[^\n]*|"""[\s\S]*?"""|"(?:\\.|[^"\\])*"/g, ' '));

const graphTypes: Readonly<Record<string, string>> = {
  Int: 'integer',
  Float: 'number',
  String: 'string',
  ID: 'string',
  Boolean: 'boolean',
};

/** Fields of the variables that a GraphQL document declares, e.g. of `query ($id: ID!)`. */
export const variablesOf = (document: string): Field[] =>
  [...document.matchAll(/\$(\w+)\s*:\s*(\[?)\s*(\w+)[\s!\]]*?(!?)\s*(=[^,)$]*)?(?=[,)$\s])/g)].map(
    ([whole, name = '', list, type = '']) => ({
      ...{ name, external: name, path: null, expression: null, fallback: null, about: null, isKey: false },
      type: list ? 'array' : (graphTypes[type] ?? null),
      isRequired: /!\s*$/.test(whole),
    }),
  );

/** The request of a GraphQL document with its variables. */
export function graphRequest(
  {
    baseUrl,
    path,
    document,
    fields,
  }: { baseUrl: string; path: string | null; document: string; fields: readonly Field[] },
  values: Readonly<Record<string, unknown>>,
): Pick<Going, 'url' | 'method' | 'headers' | 'body'> {
  const variables: Record<string, unknown> = {};
  for (const field of fields) {
    const value = values[field.name];
    if (value !== undefined) putAt(variables, field.path?.replace(/^variables\./, '') ?? field.external, value);
  }
  return {
    ...{
      url: addressOf(baseUrl, path ?? '', {}),
      method: 'POST',
      body: JSON.stringify({ query: document, variables }),
    },
    headers: { accept: 'application/json', 'content-type': 'application/json' },
  };
}
