// The scalar types of the interface as zod schemas, each with its OpenAPI format.
import { z } from 'zod';

export const int32Max = 2 ** 31 - 1;

export const int32 = z
  .int()
  .min(-int32Max - 1)
  .max(int32Max)
  .meta({ format: 'int32' });
/** 64-bit integers stay within ±2^53 so that JSON numbers hold them exactly. */
export const int64 = z.int().meta({ format: 'int64' });
export const double = z.number().meta({ format: 'double' });
export const float = z.number().meta({ format: 'float' });
export const uuid = z.uuid();
export const string = z.string();
export const boolean = z.boolean();
/** An e-mail address, its parts no longer than mail servers take (RFC 5321, RFC 1035). */
export const email = z
  .email({ abort: true })
  .max(320)
  .regex(/^[^@]{1,64}@(?:[^@.]{1,63}\.)+[^@.]{1,63}$/, 'has a part that is too long');
/** ISO 8601, UTC. */
export const dateTime = z.iso.datetime({ offset: true });
/** Text that is JSON, validated on input, so that later readers can parse it. */
export const jsonText = z
  .string()
  .refine(isJson, { error: 'must be JSON text; a plain text needs quotes, e.g. "\\"done\\""' });
/** Free JSON object. */
export const jsonObject = z.record(z.string(), z.unknown());
/** No payload: `data` is null. */
export const nothing = z.null();

type Words<Text extends string, Found extends string = never> = Text extends `${infer Head} ${infer Tail}`
  ? Words<Tail, Found | Head>
  : Found | Text;

/** A named enumeration of strings, its values given as one space-separated text. */
export function oneOf<const Values extends string>(name: string, values: Values) {
  return z.enum(values.split(' ') as Words<Values>[]).meta({ id: name });
}

/** A named response object. Unknown fields are refused where responses are checked (in tests). */
export function dto<Shape extends z.ZodRawShape>(name: string, shape: Shape) {
  return z.strictObject(shape).meta({ id: name });
}

/** A request object of another API: what its clients send besides is passed on. */
export function openFields<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.looseObject(shape);
}

/** A request object: unknown fields are an error. */
export function fields<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape);
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
