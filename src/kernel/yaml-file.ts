// Files of settings in YAML.
import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { z } from 'zod';

/** Contents of a file by their schema; an empty file has no fields. @throws Error that names all that is wrong */
export function readYamlFile<S extends z.ZodType>(file: string, schema: S): z.output<S> {
  const read = schema.safeParse(parse(readFileSync(file, 'utf8')) ?? {});
  if (read.success) return read.data;
  throw new Error(read.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; '));
}
