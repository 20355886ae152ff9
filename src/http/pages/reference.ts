// Writes an OpenAPI document as one HTML page: operations by task, each a line that opens, and schemas, all linked.
import { escapeHtml } from '../../markdown/render.ts';
import { referenceStyle } from './reference-style.ts';
import { byTask, type Task } from './reference-tasks.ts';

type Json = Record<string, unknown>;

interface OperationObject {
  operationId: string;
  summary?: string;
  description?: string;
  tags?: string[];
  parameters?: { name: string; in: string; required?: boolean; schema: Json }[];
  requestBody?: { required?: boolean; content: Record<string, { schema: Json }> };
  responses: Record<string, { content?: Record<string, { schema: Json }> }>;
  security?: unknown[];
  'x-permission'?: string;
}

interface Listed extends OperationObject {
  method: string;
  path: string;
}

const text = (value: unknown) => escapeHtml(String(value));

/** The page; links stay within it. `script` is the address of its search. */
export function referencePage(document: Json, script: string): string {
  const about = new Map(
    (document.tags as { name: string; description?: string }[]).map((tag) => [tag.name, tag.description ?? '']),
  );
  const sections = byTask(listOperations(document), about);
  const schemas = Object.entries((document.components as { schemas: Record<string, Json> }).schemas).sort(([a], [b]) =>
    a.localeCompare(b),
  );
  const info = document.info as { title: string; version: string };
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(info.title)} reference</title>
<link rel="icon" href="data:,">
<style>${referenceStyle}</style>
<script src="${script}" defer></script>
<nav aria-label="Tasks"><h1>${text(info.title)} <small>${text(info.version)}</small></h1>
<div class="find"><label for="search">Search</label><input id="search" type="search" autocomplete="off" spellcheck="false" placeholder="cancel, budget, RunsWrite …"><span id="count" role="status"></span></div>
<ul>${sections.map(({ task, operations }) => navigation(task.id, task.title, operations.length)).join('')}${navigation('schemas', 'Schemas', schemas.length)}</ul>
<p><a href="/openapi/v1.json">OpenAPI document</a> · <a href="/asyncapi/v1.json">Topics and events</a></p>
</nav>
<main>
<p>Send <code>Authorization: Bearer &lt;key or access token&gt;</code>. Every answer is an envelope whose <code>data</code> has the type shown; a failure has <code>errorCode</code>, <code>error</code> and a <code>hint</code>.</p>
${sections.map(({ task, operations }) => section(task, operations)).join('\n')}
<details class="task" id="schemas"><summary><h2>Schemas</h2></summary>
${schemas.map(([name, schema]) => `<section class="entry" data-words="schema" id="schema-${text(name)}"><h3>${text(name)}</h3>${fieldsOf(schema)}</section>`).join('\n')}
</details>
</main>
</html>
`;
}

function listOperations(document: Json): Listed[] {
  return Object.entries(document.paths as Record<string, Record<string, OperationObject>>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}

const navigation = (id: string, title: string, count: number) =>
  `<li><a href="#${text(id)}">${text(title)} <small>${count}</small></a></li>`;

function section({ id, title, about }: Omit<Task, 'operations'>, operations: readonly Listed[]): string {
  const entries = operations.map((one) => article(one, title)).join('\n');
  return `<section class="task" id="${text(id)}"><h2>${text(title)}</h2><p>${text(about)}</p>\n${entries}</section>`;
}

/** An operation in one line, which opens. */
function article(one: Listed, task: string): string {
  const needs = one['x-permission'] ? `<span class="needs">${text(one['x-permission'])}</span>` : '';
  const parameters = (one.parameters ?? []).map((parameter) =>
    row(parameter.name, parameter.schema, parameter.required ?? false, parameter.in),
  );
  const body = Object.values(one.requestBody?.content ?? {})[0]?.schema;
  const doc = one.summary ?? one.description ?? '';
  // The line has the first sentence; the rest is said within.
  const [first = ''] = /^.*?[.;](?= |$)/s.exec(doc) ?? [doc];
  const rest = doc.slice(first.length).trim();
  return `<details class="entry" data-words="${text(`${task} ${one.operationId}`)}" id="${text(one.operationId)}"><summary><b class="${one.method}">${one.method}</b> <code>${text(one.path)}</code> <span class="does">${text(first.replace(/[.;]$/, ''))}</span></summary>
<div class="within"><p>${needs}${text(rest ? doc : '')}</p>
${parameters.length > 0 ? `<h3>Parameters</h3><table>${parameters.join('')}</table>` : ''}
${body ? `<h3>Body</h3>${fieldsOf(body)}` : ''}
<p class="answer">Answers ${answerOf(one)}</p></div></details>`;
}

function answerOf({ responses }: Listed): string {
  const [mediaType = '', content] = Object.entries(responses['200']?.content ?? {})[0] ?? [];
  const properties = propertiesOf(content?.schema);
  return mediaType === 'application/json' && properties.data
    ? typeOf(properties.data)
    : `<code>${text(mediaType || 'nothing')}</code>`;
}

function fieldsOf(schema: Json): string {
  const properties = Object.entries(propertiesOf(schema));
  if (properties.length === 0) return `<p>${typeOf(schema)}</p>`;
  const required = new Set((schema.required as string[] | undefined) ?? []);
  return `<table>${properties.map(([name, property]) => row(name, property, required.has(name))).join('')}</table>`;
}

function propertiesOf(schema: Json | undefined): Record<string, Json> {
  const parts = (schema?.allOf as Json[] | undefined) ?? [];
  return Object.assign({}, ...parts.map(propertiesOf), schema?.properties ?? {});
}

const row = (name: string, schema: Json, required: boolean, where = '') =>
  `<tr><th><code>${text(name)}</code>${required ? '' : ' <i>optional</i>'}</th><td>${typeOf(schema)}</td><td>${text(where)}</td></tr>`;

const schemaLink = (name: string) => `<a href="#schema-${text(name)}">${text(name)}</a>`;

/** A schema in a few words: `string (uuid)`, `AgentRunDto[]`, `A | B | null`. */
function typeOf(schema: Json | undefined): string {
  if (!schema) return 'any';
  if (typeof schema.$ref === 'string') return schemaLink(schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1));
  const either = (schema.anyOf ?? schema.oneOf) as Json[] | undefined;
  if (either) return either.map(typeOf).join(' | ');
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => `<code>${text(value)}</code>`).join(' ');
  if (schema.type === 'array') return `${typeOf(schema.items as Json | undefined)}[]`;
  const limits = ['format', 'minimum', 'maximum', 'minLength', 'maxLength', 'default', 'pattern']
    .filter((key) => schema[key] !== undefined && String(schema[key]).length < 60)
    // What every number here is held to says nothing about this one.
    .filter((key) => Math.abs(Number(schema[key])) !== Number.MAX_SAFE_INTEGER)
    .map((key) => (key === 'format' ? text(schema[key]) : `${key} ${text(schema[key])}`));
  const names = Array.isArray(schema.type) ? schema.type.join(' | ') : text(schema.type ?? 'any');
  return limits.length > 0 ? `${names} <small>(${limits.join(', ')})</small>` : names;
}
