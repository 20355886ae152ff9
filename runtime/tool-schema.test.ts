// What of a tool's schema goes to models with every call.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { testTool } from './testing/tools.ts';
import { parseArguments, toolInfo, toolSchema } from './tool-schema.ts';

const input = z.strictObject({
  goal: z.string().min(1).max(500),
  maxLength: z.int().optional(),
  many: z.array(z.int().min(2).max(9)).max(3).default([2]),
});
const tool = testTool('dig', async () => 'done', { input: input as z.ZodType<unknown> });

test('models are told what they need, and limits are checked all the same', () => {
  expect(toolSchema(tool).inputSchema).toEqual({
    type: 'object',
    properties: {
      goal: { type: 'string' },
      maxLength: { type: 'integer' },
      many: { type: 'array', items: { type: 'integer', minimum: 2, maximum: 9 }, default: [2] },
    },
    required: ['goal'],
  });
  expect(parseArguments(tool, '{"goal":""}')).toMatchObject({ ok: false });
  expect(parseArguments(tool, '{"goal":"a","other":1}')).toMatchObject({ ok: false });
  expect(JSON.parse(toolInfo(tool).inputSchemaJson)).toMatchObject({ additionalProperties: false });
});

test('the schema of a foreign tool is handed on as it is', () => {
  const jsonSchema = { type: 'object', additionalProperties: false, properties: { name: { maxLength: 5 } } };
  expect(toolSchema(testTool('foreign', async () => '', { input: { jsonSchema } })).inputSchema).toEqual(jsonSchema);
});
