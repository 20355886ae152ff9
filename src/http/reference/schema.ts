// Shows JSON Schemas as people read types.
import { type Html, html } from './html.ts';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | boolean;
  description?: string;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  maxItems?: number;
}

/** The type in one line, with links to named schemas. */
export function typeOf(schema: Schema): Html {
  if (schema.$ref) {
    const name = schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
    return html`<a href="#schema-${name}">${name}</a>`;
  }
  const parts = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (parts) return joined(parts.map(typeOf), schema.allOf ? ' & ' : ' | ');
  if (schema.enum)
    return joined(
      schema.enum.map((value) => html`<q>${String(value)}</q>`),
      ' | ',
    );
  if (schema.const !== undefined) return html`<q>${String(schema.const)}</q>`;
  const types = [schema.type ?? (schema.properties ? 'object' : 'any')].flat();
  return joined(
    types.map((type) => plainType(type, schema)),
    ' | ',
  );
}

function plainType(type: string, schema: Schema): Html {
  if (type === 'array') return html`${typeOf(schema.items ?? {})}[]`;
  if (type === 'object' && typeof schema.additionalProperties === 'object')
    return html`map of ${typeOf(schema.additionalProperties)}`;
  return html`${type === 'null' || !schema.format ? type : schema.format}`;
}

const joined = (parts: Html[], between: string) => html`${parts.map((part, i) => html`${i > 0 && between}${part}`)}`;

function limitsOf(schema: Schema): string {
  const limit = (name: string, value: unknown) => (value === undefined ? [] : [`${name} ${JSON.stringify(value)}`]);
  return [
    ...limit('default', schema.default),
    ...limit('at least', schema.minimum ?? schema.minLength),
    ...limit('at most', schema.maximum ?? schema.maxLength ?? schema.maxItems),
  ].join(', ');
}

export interface Field {
  name: string;
  required: boolean;
  schema: Schema;
}

/** Fields of an object schema, one level deep. */
export const fieldsOf = (schema: Schema): Field[] =>
  Object.entries(schema.properties ?? {}).map(([name, field]) => ({
    name,
    required: schema.required?.includes(name) ?? false,
    schema: field,
  }));

/** A table of fields. */
export function fieldTable(fields: readonly Field[]): Html {
  const rows = fields.map(
    ({ name, required, schema }) =>
      html`<tr><th scope="row"><code>${name}</code>${!required && html`<i>optional</i>`}</th><td><code>${typeOf(schema)}</code></td><td>${schema.description} ${limitsOf(schema)}</td></tr>`,
  );
  return html`<table>${rows}</table>`;
}
