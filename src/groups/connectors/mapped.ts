// What field mappings make of a call's fields, and of what the other side says.
import { type Field, valueAt } from '../../outside/fields.ts';
import { transformed } from '../../outside/transforms.ts';

export type Values = Record<string, unknown>;

/** What is sent, after the transforms of its fields. */
export async function outgoing(fields: readonly Field[], input: Values): Promise<Values> {
  const steps = fields.filter(({ name, expression }) => expression !== null && name in input);
  const results = await transformed(
    steps.map(({ name, expression }) => ({ expression: expression ?? '', value: input[name], record: input })),
  );
  return { ...input, ...Object.fromEntries(steps.map(({ name }, at) => [name, results[at]])) };
}

/** The answer as its mappings say it, each element of a list by itself. */
export async function incoming(fields: readonly Field[], said: unknown): Promise<unknown> {
  if (fields.length === 0) return said;
  const list = Array.isArray(said) ? said : [said];
  const raw = list.map((one) => fields.map((field) => valueAt(one, field.path ?? field.external) ?? fallbackOf(field)));
  const steps = list.flatMap((one, row) =>
    fields.flatMap(({ expression }, at) =>
      expression === null ? [] : [{ row, at, step: { expression, value: raw[row]?.[at] ?? null, record: one } }],
    ),
  );
  const results = await transformed(steps.map(({ step }) => step));
  steps.forEach(({ row, at }, index) => {
    (raw[row] as unknown[])[at] = results[index];
  });
  const made = raw.map((values) => Object.fromEntries(fields.map(({ name }, at) => [name, values[at] ?? null])));
  return Array.isArray(said) ? made : made[0];
}

const fallbackOf = ({ fallback }: Field): unknown => {
  try {
    return fallback === null ? null : JSON.parse(fallback);
  } catch {
    return fallback;
  }
};
