// Shows a stored document as its DTO: what can be derived is, and the compiler asks for the rest.
import type { z } from 'zod';

type Source<Key> = Key extends 'id' ? '_id' : Key extends `${infer Base}Utc` ? Base : Key;
type Shown<Key, Value> = Key extends `${string}Utc` ? (Value extends Date ? string : Value) : Value;
/** The fields of a DTO that follow from a document: those that it has by the stored name and of the right type. */
type Derived<Dto, Doc> = {
  [Key in keyof Dto]: Source<Key> extends keyof Doc
    ? Shown<Key, Doc[Source<Key>]> extends Dto[Key]
      ? Key
      : never
    : never;
}[keyof Dto];
type Computed<Dto, Doc> = Omit<Dto, Derived<Dto, Doc>> & Partial<Dto>;

/**
 * A document as its DTO: `_id` becomes `id`, Dates become `…Utc`, and what is absent is null.
 *
 * @param computed - the fields that the document does not have, or has otherwise
 */
export function shown<Shape extends z.ZodRawShape, Doc extends object>(
  schema: z.ZodObject<Shape, z.core.$strict>,
  doc: Doc,
  ...[computed]: object extends Computed<z.output<z.ZodObject<Shape>>, Doc>
    ? [computed?: Computed<z.output<z.ZodObject<Shape>>, Doc>]
    : [computed: Computed<z.output<z.ZodObject<Shape>>, Doc>]
): z.output<z.ZodObject<Shape>> {
  const made: Record<string, unknown> = {};
  for (const key of Object.keys(schema.shape)) {
    const value = (doc as Record<string, unknown>)[key === 'id' ? '_id' : key.replace(/Utc$/, '')];
    made[key] = value instanceof Date ? value.toISOString() : (value ?? null);
  }
  return Object.assign(made, computed) as z.output<z.ZodObject<Shape>>;
}
