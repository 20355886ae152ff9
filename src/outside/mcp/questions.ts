// What a server asks a person in the middle of a call (elicitation by form), as a question; and a person's words as its answer.
import type { ElicitRequestFormParams, ElicitResult } from '@modelcontextprotocol/client';
import { AjvJsonSchemaValidator } from '@modelcontextprotocol/client/validators/ajv';
import { jsonObject } from '../../kernel/json-object.ts';

/** A form that a server wants filled in, kept while somebody is asked. */
export interface Form {
  message: string;
  fields: Readonly<Record<string, FormField>>;
  required: readonly string[];
}

/** What is taken of a field's schema; patterns are not: a server could choose one that never ends. */
const known = [
  ...['type', 'title', 'description', 'default', 'enum', 'enumNames', 'format', 'minimum', 'maximum'],
  ...['minLength', 'maxLength', 'minItems', 'maxItems'],
] as const;
type FormField = Partial<Record<(typeof known)[number], unknown>> & {
  choices?: readonly string[];
  /** What the choices are called, where a server says so. */
  labels?: readonly string[];
  items?: unknown;
};

export interface FormQuestion {
  situation: string;
  /** What may be answered by a click. */
  options: readonly string[];
}

const mostFields = 30;
const mostChoices = 50;
const messageChars = 4000;
const mostDrawn = 50_000;

/** The form, of what protocol allows; null for one that is too large to show. */
export function formOf({
  message,
  requestedSchema,
}: Pick<ElicitRequestFormParams, 'message' | 'requestedSchema'>): Form | null {
  const given = Object.entries((requestedSchema?.properties ?? {}) as Record<string, Record<string, unknown>>);
  if (given.length > mostFields) return null;
  const fields = Object.fromEntries(given.map(([name, schema]) => [name, fieldOf(schema)]));
  const required = (requestedSchema?.required ?? []).filter((name) => name in fields);
  return { message: message.slice(0, messageChars), fields, required };
}

function fieldOf(schema: Record<string, unknown>): FormField {
  const kept = Object.fromEntries(known.filter((name) => name in schema).map((name) => [name, schema[name]]));
  const items = schema.items as Record<string, unknown> | undefined;
  const choices = choicesIn(schema) ?? (items && choicesIn(items));
  const labels = labelsIn(schema) ?? (items && labelsIn(items));
  return { ...kept, ...(choices && { choices }), ...(labels && { labels }) } as FormField;
}

function labelsIn({ enumNames, oneOf, anyOf }: Record<string, unknown>): string[] | undefined {
  const list = (oneOf ?? anyOf) as { const?: unknown; title?: unknown }[] | undefined;
  const names = Array.isArray(enumNames) ? enumNames : list?.map((one) => one?.title ?? one?.const);
  return names?.slice(0, mostChoices).map(String);
}

/** Values that a field may have, in either way to say them. */
function choicesIn({ enum: values, oneOf, anyOf }: Record<string, unknown>): string[] | undefined {
  const list = Array.isArray(values) ? values : ((oneOf ?? anyOf) as { const?: unknown }[] | undefined);
  return list?.slice(0, mostChoices).map((one) => String((one as { const?: unknown })?.const ?? one));
}

/** How the form is asked of a person who answers by one text. */
export function askedAs(
  form: Form,
  { server, tool }: { server: string; tool: string },
  problem?: string,
): FormQuestion {
  const entries = Object.entries(form.fields);
  const lines = entries.map(([name, field]) => `- ${name} (${aboutField(field, form.required.includes(name))})`);
  const how =
    entries.length === 1
      ? 'Answer with the value alone.'
      : `Answer with JSON, or with a line "name: value" for each: ${entries.map(([name]) => name).join(', ')}.`;
  const only = entries.length === 1 ? entries[0]?.[1] : undefined;
  const values = only?.type === 'boolean' ? ['true', 'false'] : only?.type === 'array' ? [] : (only?.choices ?? []);
  return {
    situation: [
      ...(problem ? [`The last answer did not fit: ${problem}`] : []),
      `${server} asks this while ${tool} is called. What you answer is sent to that server.`,
      form.message,
      ...lines,
      entries.length === 0 ? 'Answer "accept", or decline.' : how,
    ].join('\n'),
    options: [...values, ...(entries.length === 0 ? ['accept'] : []), 'decline'],
  };
}

/** What a page can draw of a question: a form, or an address. Absent for what is too large to be told to all who watch. */
export function drawnAs(asked: Form | { message: string; url: string }, about: Record<string, string | undefined>) {
  const formJson = JSON.stringify({ ...about, ...asked });
  return formJson.length > mostDrawn ? {} : { formJson };
}

function aboutField(field: FormField, isRequired: boolean): string {
  const { type, title, description, choices, default: usual } = field;
  return [
    String(type ?? 'string'),
    isRequired ? 'needed' : 'may be left out',
    ...(choices ? [`one of ${choices.join(', ')}`] : []),
    ...(usual === undefined ? [] : [`usually ${JSON.stringify(usual)}`]),
    ...[title, description].filter((one) => typeof one === 'string' && one !== ''),
  ]
    .join('; ')
    .slice(0, 500);
}

/** What a person's words are as an answer to the form; what is wrong with them where they are none. */
export function answerIn(form: Form, words: string | null): { answer: ElicitResult } | { problem: string } {
  const text = (words ?? '').trim();
  if (words === null || /^cancel$/i.test(text)) return { answer: { action: 'cancel' } };
  if (/^(decline|reject)$/i.test(text)) return { answer: { action: 'decline' } };
  const names = Object.keys(form.fields);
  if (names.length === 0) return { answer: { action: 'accept', content: {} } };
  const given = jsonObject(text) ?? (names.length === 1 ? { [names[0] as string]: text } : linesIn(text, names));
  if (given === null) return { problem: 'It is neither JSON nor lines "name: value".' };
  const content = Object.fromEntries(
    Object.entries(given).map(([name, value]) => [name, coerced(form.fields[name], value)]),
  );
  for (const [name, { default: usual }] of Object.entries(form.fields))
    if (!(name in content) && usual !== undefined) content[name] = usual;
  const { valid, errorMessage } = new AjvJsonSchemaValidator().getValidator(schemaOf(form) as never)(content);
  // The validator calls what it looks at `data`, and a field of it `data/name`.
  if (!valid)
    return {
      problem: String(errorMessage)
        .replace(/\bdata\//g, '')
        .replace(/\bdata must/g, 'it must')
        .slice(0, 500),
    };
  return { answer: { action: 'accept', content } as ElicitResult };
}

const schemaOf = ({ fields, required }: Form) => ({
  ...{ type: 'object', additionalProperties: false, required },
  properties: Object.fromEntries(
    Object.entries(fields).map(([name, { choices, labels: _, enum: __, enumNames: ___, title: ____, ...field }]) => [
      name,
      field.type === 'array'
        ? { ...field, items: choices ? { enum: choices } : {} }
        : { ...field, ...(choices && { enum: choices }) },
    ]),
  ),
});

function linesIn(text: string, names: readonly string[]): Record<string, unknown> | null {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const pairs = lines.map((line) => [line.split(':')[0]?.trim() ?? '', line.slice(line.indexOf(':') + 1).trim()]);
  return lines.length > 0 && pairs.every(([name]) => names.includes(name as string)) ? Object.fromEntries(pairs) : null;
}

/** Texts of people as the type that the field wants; what cannot be one stays a text, and does not fit. */
function coerced(field: FormField | undefined, value: unknown): unknown {
  if (typeof value !== 'string') return value;
  switch (field?.type) {
    case 'number':
    case 'integer':
      return value.trim() !== '' && Number.isFinite(Number(value)) ? Number(value) : value;
    case 'boolean':
      return /^(true|yes)$/i.test(value) ? true : /^(false|no)$/i.test(value) ? false : value;
    case 'array':
      return value.split(',').map((one) => one.trim());
    default:
      return value;
  }
}
