// The reference at /docs: every operation and schema of the OpenAPI document on one page that works without scripts.
import { type Html, html } from './html.ts';
import { fieldsOf, fieldTable, type Schema, typeOf } from './schema.ts';

interface Media {
  schema?: Schema;
}

interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security?: unknown[];
  parameters?: { name: string; in: string; required: boolean; description?: string; schema: Schema }[];
  requestBody?: { required: boolean; content: Record<string, Media> };
  responses: Record<string, { content?: Record<string, Media>; $ref?: string }>;
}

/** What the page reads of the document. */
export interface OpenApi {
  info: { title: string; version: string; description: string };
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

interface Placed {
  method: string;
  path: string;
  operation: Operation;
}

/** The whole page as HTML. */
export function renderReference({ info, tags, paths, components }: OpenApi): string {
  const placed = Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): Placed => ({ method: method.toUpperCase(), path, operation })),
  );
  const sections = tags.map((tag) => ({
    ...tag,
    placed: placed.filter(({ operation }) => operation.tags[0] === tag.name),
  }));
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${info.title} API ${info.version}</title>
<link rel="stylesheet" href="/docs/reference.css">
<script type="module" src="/docs/reference.js"></script>
</head>
<body>
<nav aria-label="Groups">
<label for="find">Find</label><input id="find" type="search" placeholder="path, verb, word" autocomplete="off">
<ul>${sections.map(({ name, placed: { length } }) => html`<li><a href="#${name}">${name}</a> <small>${length}</small></li>`)}<li><a href="#schemas">Schemas</a></li></ul>
</nav>
<main>
<header><h1>${info.title} API <small>${info.version}</small></h1>
<p>${info.description} The same as a document for tools: <a href="/openapi/v1.json">/openapi/v1.json</a>.</p>
<p>Send <code>Authorization: Bearer &lt;key or access token&gt;</code>. Every JSON answer is an envelope: <code>ok</code>, <code>requestId</code>, <code>data</code>, <code>error</code>, <code>errorCode</code>, <code>count</code>, <code>hint</code>, <code>unreadMessages</code>; below is what <code>data</code> holds.</p></header>
${sections.map(({ name, description, placed: list }) => html`<section id="${name}"><h2>${name}</h2><p>${description}</p>${list.map(operationBlock)}</section>`)}
<section id="schemas"><h2>Schemas</h2>${Object.entries(components.schemas).map(schemaBlock)}</section>
</main>
</body>
</html>
`.text;
}

function operationBlock({ method, path, operation }: Placed): Html {
  const { operationId, summary, description, security, parameters = [], requestBody, responses } = operation;
  const access = security?.length === 0 ? 'Public.' : (description ?? 'Any caller who is signed in.');
  const inputs = parameters.map(({ name, required, schema, in: place, description: about }) => ({
    name,
    required,
    schema: { ...schema, description: [place, about].filter(Boolean).join(': ') },
  }));
  return html`<details id="${operationId}" class="operation"><summary><b class="${method.toLowerCase()}">${method}</b> <code>${path}</code> <span>${summary}</span></summary>
<p>${access} <small><code>${operationId}</code></small></p>
${inputs.length > 0 && html`<h3>Parameters</h3>${fieldTable(inputs)}`}
${requestBody && html`<h3>Body${!requestBody.required && ' (optional)'}</h3>${Object.entries(requestBody.content).map(bodyBlock)}`}
<h3>Answer</h3>${Object.entries(responses[200]?.content ?? {}).map(answerBlock)}
</details>
`;
}

const bodyBlock = ([mediaType, { schema = {} }]: [string, Media]) =>
  html`<p><small>${mediaType}</small></p>${schema.properties ? fieldTable(fieldsOf(schema)) : html`<p><code>${typeOf(schema)}</code></p>`}`;

function answerBlock([mediaType, { schema = {} }]: [string, Media]): Html {
  const data = schema.properties?.unreadMessages ? schema.properties.data : schema;
  return html`<p><small>${mediaType}</small> <code>${typeOf(data ?? {})}</code></p>`;
}

const schemaBlock = ([name, schema]: [string, Schema]) =>
  html`<details id="schema-${name}" class="schema"><summary><code>${name}</code></summary>${
    schema.properties ? fieldTable(fieldsOf(schema)) : html`<p><code>${typeOf(schema)}</code></p>`
  }</details>
`;
