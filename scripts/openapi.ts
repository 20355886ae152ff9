// Writes the OpenAPI document and the schema of the portable format to docs/reference, and refreshes the client's route table.
import { mkdirSync, writeFileSync } from 'node:fs';
import { buildOpenApi } from '../src/contract/openapi/document.ts';
import type { Group } from '../src/contract/operation.ts';
import { portableJsonSchema } from '../src/groups/export/portable.ts';
import { groups } from '../src/groups/index.ts';
import { version } from '../src/version.ts';
import './generate-client.ts';

mkdirSync('docs/reference', { recursive: true });
const document = buildOpenApi(Object.values(groups) as unknown as Group[], { version });
writeFileSync('docs/reference/openapi.json', `${JSON.stringify(document, null, 2)}\n`);
const schema = `${JSON.stringify(portableJsonSchema(), null, 2)}\n`;
writeFileSync('docs/reference/portable-memory-0.1.schema.json', schema);
