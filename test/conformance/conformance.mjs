#!/usr/bin/env node
// Compares a server's OpenAPI 3.1 document with the interface specification beside this file.
// usage: node conformance.mjs <openapi.json path | URL> [--all] [--json]
// Listed operations must all be served; those of the extension are checked where they are served.
// usage: --group NAME (repeatable) checks these groups alone.
// Exit status: 0 when nothing falls short, 1 otherwise, 2 when it cannot read the document.
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const [source, ...flags] = process.argv.slice(2);
const load = async (name) => JSON.parse(await readFile(join(here, name), 'utf8'));

async function openapi(from) {
  if (!from) throw new Error('name an OpenAPI document: a path or a URL');
  if (!/^https?:/.test(from)) return JSON.parse(await readFile(from, 'utf8'));
  const response = await fetch(from);
  if (!response.ok) throw new Error(`${from} answered ${response.status}`);
  return response.json();
}

let doc;
try {
  doc = await openapi(source);
} catch (error) {
  console.error(`conformance: ${error.message}`);
  process.exit(2);
}
const [operations, listedDtos, groups, extension, extensionDtos, { errorCodes, transitions, ...enums }] =
  await Promise.all(
    [
      'operations.json',
      'dtos.json',
      'groups.json',
      'operations-extension.json',
      'dtos-extension.json',
      'enums.json',
    ].map(load),
  );
const dtos = { ...extensionDtos, ...listedDtos };

const normal = (path) => path.replace(/\{[^}]+\}/g, '{}').replace(/\/$/, '');
const served = new Map();
for (const [path, item] of Object.entries(doc.paths ?? {}))
  for (const [method, operation] of Object.entries(item))
    if (/^(get|post|put|patch|delete)$/.test(method)) served.set(`${method.toUpperCase()} ${normal(path)}`, operation);

const deref = (schema) => {
  let at = schema;
  for (let hops = 0; at?.$ref && hops < 20; hops++)
    at = at.$ref
      .replace(/^#\//, '')
      .split('/')
      .reduce((o, k) => o?.[k.replace(/~1/g, '/').replace(/~0/g, '~')], doc);
  return at;
};
// properties of a schema, through $ref and allOf
function properties(schema, seen = new Set()) {
  const at = deref(schema);
  if (!at || seen.has(at)) return {};
  seen.add(at);
  return Object.assign({}, ...(at.allOf ?? []).map((part) => properties(part, seen)), at.properties ?? {});
}
// the alternatives of a schema, with null set apart
function alternatives(schema) {
  const at = deref(schema) ?? {};
  const parts = at.anyOf ?? at.oneOf;
  if (parts) {
    const all = parts.map(alternatives);
    return { nullable: all.some((a) => a.nullable), kinds: all.flatMap((a) => a.kinds) };
  }
  if (at.allOf?.length === 1 && !at.properties) return alternatives(at.allOf[0]);
  const types = [
    at.type ??
      (at.properties || at.additionalProperties
        ? 'object'
        : at.enum
          ? typeof at.enum[0]
          : at.const !== undefined
            ? typeof at.const
            : undefined),
  ].flat();
  if (types[0] === undefined) return { nullable: true, kinds: [{ any: true, schema: at }] };
  return {
    nullable: types.includes('null') || at.enum?.includes?.(null) === true,
    kinds: types.filter((t) => t !== 'null').map((type) => ({ type, format: at.format, schema: at })),
  };
}
const primitives = {
  int64: ['integer'],
  int32: ['integer'],
  double: ['number'],
  float: ['number'],
  string: ['string'],
  boolean: ['boolean'],
  uuid: ['string', 'uuid'],
  'date-time': ['string', 'date-time'],
  array: ['array'],
  object: ['object'],
};
function fieldFault(schema, spec) {
  if (!schema) return 'missing';
  const optional = spec.endsWith('?');
  const base = spec.replace(/\?$/, '');
  const { nullable, kinds } = alternatives(schema);
  if (optional && !nullable) return `is not nullable (${spec})`;
  const list = /^(.*)\[\]$/.exec(base);
  if (list) return kinds.some((k) => k.type === 'array') ? null : `is not an array (${spec})`;
  if (base.startsWith('map<')) return kinds.some((k) => k.type === 'object') ? null : `is not an object (${spec})`;
  const want = primitives[base];
  if (want)
    return kinds.some((k) => k.type === want[0] && (!want[1] || k.format === want[1]))
      ? null
      : `is ${kinds.map((k) => k.type ?? 'any').join('|') || 'nothing'}, not ${want.filter(Boolean).join(' ')}`;
  if (/Dto$|Config$|Preferences$/.test(base))
    return kinds.some((k) => k.type === 'object' || k.any) ? null : `is not an object (${spec})`;
  if (base === 'json' || base === 'T') return null;
  if (dtos[base]) return kinds.some((k) => k.type === 'object' || k.any) ? null : `is not an object (${spec})`;
  const values = kinds.flatMap((k) =>
    k.type === 'string' ? (k.schema.enum ?? (k.schema.const ? [k.schema.const] : [])) : [],
  );
  if (values.length === 0) return `is not an enumeration of strings (${spec})`;
  const lacking = (enums[base] ?? []).filter((value) => !values.includes(value));
  return lacking.length ? `lacks ${lacking.slice(0, 5).join(', ')} (${spec})` : null;
}
const fieldsOf = (name) => {
  const dto = dtos[name];
  return dto ? { ...(dto.extends ? fieldsOf(dto.extends) : {}), ...dto.fields } : undefined;
};

const faults = [];
const fail = (where, what) => faults.push({ where, what });
const perGroup = new Map(groups.map((g) => [g.group, { ...g, present: 0 }]));
const envelope = dtos['ApiEnvelope<T>'].fields;
const paged = dtos['PagedResultOf<X>'].fields;
let typed = 0;
let typedOk = 0;
let fieldsSeen = 0;
let fieldsOk = 0;
function checkFields(where, schema, fields, skip = []) {
  const props = properties(schema);
  let ok = true;
  for (const [name, spec] of Object.entries(fields)) {
    if (skip.includes(name)) continue;
    fieldsSeen++;
    const fault = fieldFault(props[name], spec);
    if (fault) {
      ok = false;
      fail(where, `${name} ${fault}`);
    } else fieldsOk++;
  }
  return ok;
}
let extensionServed = 0;
function checkOperation({ group, method, path, response }, must) {
  const key = `${method} ${normal(path)}`;
  const operation = served.get(key);
  if (!operation) {
    if (must) fail(`${method} ${path}`, 'operation not served');
    return;
  }
  if (extension.some((o) => o.method === method && o.path === path)) extensionServed++;
  else perGroup.get(group).present++;
  if (/^(-|file|stream|JSON)$/.test(response) || dtos[response]?.raw) return;
  typed++;
  const body = deref(operation.responses?.['200'])?.content?.['application/json']?.schema;
  if (!body) {
    fail(`${method} ${path}`, 'no 200 application/json schema');
    return;
  }
  let ok = checkFields(`${method} ${path} envelope`, body, envelope, ['data']);
  const data = properties(body).data;
  const kinds = data ? alternatives(data).kinds : [];
  const pagedOf = /^PagedResultOf(.*)$/.exec(response);
  const listOf = /^(.*)\[\]$/.exec(response);
  let item = data;
  let itemName = response;
  if (pagedOf) {
    ok = checkFields(`${method} ${path} page`, data, paged, ['items']) && ok;
    item = deref(properties(data).items)?.items;
    itemName = pagedOf[1];
    if (!item) {
      ok = false;
      fail(`${method} ${path}`, 'page without items schema');
    }
  } else if (listOf) {
    item = kinds.find((k) => k.type === 'array')?.schema.items;
    itemName = listOf[1];
    if (!item) {
      ok = false;
      fail(`${method} ${path}`, `data is not an array of ${itemName}`);
    }
  }
  const fields = fieldsOf(itemName);
  if (item && fields) ok = checkFields(`${method} ${path} ${itemName}`, item, fields) && ok;
  else if (item && Object.keys(properties(item)).length === 0) {
    ok = false;
    fail(`${method} ${path}`, `${itemName} has no properties`);
  }
  if (ok) typedOk++;
}
const only = flags.flatMap((flag, i) => (flag === '--group' ? [flags[i + 1]] : []));
const wanted = (o) => only.length === 0 || only.includes(o.group);
for (const operation of operations.filter(wanted)) checkOperation(operation, true);
for (const operation of extension.filter(wanted)) checkOperation(operation, only.length > 0);
const present = [...perGroup.values()].reduce((n, g) => n + g.present, 0);
const tagCounts = new Map();
for (const operation of served.values())
  for (const tag of operation.tags ?? []) tagCounts.set(tag, (tagCounts.get(tag) ?? 0) + 1);
const groupsWhole = groups.filter((g) => (tagCounts.get(g.group) ?? 0) >= g.operations).length;
const summary = {
  operations: `${present}/${operations.filter(wanted).length}`,
  typedResponses: `${typedOk}/${typed}`,
  fields: `${fieldsOk}/${fieldsSeen}`,
  extension: `${extensionServed}/${extension.filter(wanted).length}`,
  served: served.size,
  groupsWhole: `${groupsWhole}/${groups.length}`,
};
if (flags.includes('--json')) console.log(JSON.stringify({ summary, faults }, null, 1));
else {
  const shown = flags.includes('--all') ? faults : faults.slice(0, 40);
  for (const { where, what } of shown) console.log(`${where}: ${what}`);
  if (faults.length > shown.length) console.log(`… ${faults.length - shown.length} more (--all)`);
  for (const g of groups.filter(wanted)) {
    const n = tagCounts.get(g.group) ?? 0;
    if (n < g.operations) console.log(`group ${g.group}: ${n} of ${g.operations} operations tagged`);
  }
  console.log(
    `operations ${summary.operations}, typed responses ${summary.typedResponses}, fields ${summary.fields}, extension ${summary.extension}, served in all ${summary.served}, groups at full count ${summary.groupsWhole}`,
  );
}
process.exit(faults.length === 0 ? 0 : 1);
