// The published JSON schema of the portable format, as a file and as the server gives it.
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { packageRoot } from '../../kernel/package-root.ts';
import { portableJsonSchema } from './portable.ts';

it('is in docs/reference as the server publishes it', () => {
  const file = readFileSync(new URL('docs/reference/portable-memory-0.1.schema.json', packageRoot), 'utf8');
  // `npm run openapi` writes it.
  expect(JSON.parse(file)).toEqual(JSON.parse(JSON.stringify(portableJsonSchema())));
});
