// Writes an OpenAPI document as one HTML page: contents, operations by group, schemas, all linked.

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

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const text = (value: unknown) => String(value).replace(/[&<>"]/g, (character) => escapes[character] ?? character);

/** The page; links stay within it. */
export function referencePage(document: Json): string {
  const operations = listOperations(document);
  const tags = [...new Set(operations.flatMap(({ tags: own = [] }) => own))].sort();
  const about = new Map(
    (document.tags as { name: string; description?: string }[]).map((tag) => [tag.name, tag.description ?? '']),
  );
  const schemas = Object.entries((document.components as { schemas: Record<string, Json> }).schemas).sort(([a], [b]) =>
    a.localeCompare(b),
  );
  const info = document.info as { title: string; version: string };
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(info.title)} reference</title>
<style>${style}</style>
<nav><h1>${text(info.title)} <small>${text(info.version)}</small></h1>
<p><a href="/openapi/v1.json">OpenAPI document</a></p>
${tags
  .map(
    (tag) =>
      `<details open><summary><a href="#${text(tag)}">${text(tag)}</a></summary><ul>${operations
        .filter((one) => one.tags?.includes(tag))
        .map(navigation)
        .join('')}</ul></details>`,
  )
  .join('\n')}
<details><summary><a href="#schemas">Schemas</a></summary><ul>${schemas.map(([name]) => `<li>${schemaLink(name)}</li>`).join('')}</ul></details>
</nav>
<main>
<p>Send <code>Authorization: Bearer &lt;key or access token&gt;</code>. Every answer is an envelope whose <code>data</code> has the type shown; a failure has <code>errorCode</code>, <code>error</code> and a <code>hint</code>.</p>
${tags
  .map(
    (tag) =>
      `<h2 id="${text(tag)}">${text(tag)}</h2><p>${text(about.get(tag) ?? '')}</p>${operations
        .filter((one) => one.tags?.includes(tag))
        .map(article)
        .join('\n')}`,
  )
  .join('\n')}
<h2 id="schemas">Schemas</h2>
${schemas.map(([name, schema]) => `<section id="schema-${text(name)}"><h3>${text(name)}</h3>${fieldsOf(schema)}</section>`).join('\n')}
</main>
</html>
`;
}

function listOperations(document: Json): Listed[] {
  return Object.entries(document.paths as Record<string, Record<string, OperationObject>>).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ ...operation, method: method.toUpperCase(), path })),
  );
}

const navigation = ({ operationId, method, path }: Listed) =>
  `<li><a href="#${text(operationId)}"><b class="${method}">${method}</b> ${text(path)}</a></li>`;

function article(one: Listed): string {
  const needs = one['x-permission'] ? `<span class="needs">${text(one['x-permission'])}</span>` : '';
  const parameters = (one.parameters ?? []).map((parameter) =>
    row(parameter.name, parameter.schema, parameter.required ?? false, parameter.in),
  );
  const body = Object.values(one.requestBody?.content ?? {})[0]?.schema;
  return `<article id="${text(one.operationId)}"><h3><b class="${one.method}">${one.method}</b> <code>${text(one.path)}</code> ${needs}</h3>
<p>${text(one.summary ?? one.description ?? '')}</p>
${parameters.length > 0 ? `<h4>Parameters</h4><table>${parameters.join('')}</table>` : ''}
${body ? `<h4>Body</h4>${fieldsOf(body)}` : ''}
<p class="answer">Answers ${answerOf(one)}</p></article>`;
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
    .map((key) => (key === 'format' ? text(schema[key]) : `${key} ${text(schema[key])}`));
  const names = Array.isArray(schema.type) ? schema.type.join(' | ') : text(schema.type ?? 'any');
  return limits.length > 0 ? `${names} <small>(${limits.join(', ')})</small>` : names;
}

const style = `
:root { color-scheme: light dark; --line: color-mix(in oklab, currentColor 16%, transparent); --teal: light-dark(#0f766e, #5eead4); }
* { box-sizing: border-box } body { margin: 0; font: 15px/1.5 system-ui, sans-serif; display: grid; grid-template-columns: 22rem minmax(0, 1fr); background: light-dark(#fbfaf7, #16191b); color: light-dark(#1f2426, #e6e8e8) }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; border-right: 1px solid var(--line); font-size: 13px } nav ul { list-style: none; padding: 0; margin: .25rem 0 .75rem } nav li { overflow: hidden; text-overflow: ellipsis; white-space: nowrap }
main { padding: 1.5rem 2rem 6rem; max-width: 60rem } a { color: inherit; text-decoration: none } a:hover, main a { color: var(--teal) } h1 { font-size: 1.2rem } h2 { margin-top: 3rem } h3 { font-size: 1rem; margin: 0 } h4 { margin: .75rem 0 .25rem; font-size: .85rem }
article, section { border-top: 1px solid var(--line); padding: 1rem 0 } article:target, section:target { background: color-mix(in oklab, var(--teal) 10%, transparent) } b { font: 600 12px ui-monospace, monospace; color: var(--teal) } b.DELETE { color: light-dark(#b42318, #fda29b) }
code { font: 13px ui-monospace, monospace } .needs { float: right; font-size: 12px; border: 1px solid var(--line); border-radius: 6px; padding: 0 .4rem } table { border-collapse: collapse; width: 100% } th, td { text-align: left; font-weight: 400; padding: .2rem .6rem .2rem 0; border-bottom: 1px solid var(--line); vertical-align: top } i, small { opacity: .65; font-style: normal; font-size: 12px }
@media (max-width: 800px) { body { display: block } nav { position: static; height: auto; border-right: 0; border-bottom: 1px solid var(--line) } main { padding: 1rem } }
`;
