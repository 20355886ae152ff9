// The catalogue of models: prices, limits and capabilities.
import { z } from 'zod';
import { AIModelCapability, AIModelKind } from '../../../contract/enums.ts';
import { group, op } from '../../../contract/operation.ts';
import { listQuery, page } from '../../../contract/page.ts';
import { boolean, double, fields, int32, int64, nothing, string } from '../../../contract/types.ts';
import { AIModelDto } from '../dto.ts';

const name = string.trim().min(1).max(200);
const tokens = int32.min(0);
const price = double.min(0);
const names = z.array(name).max(50);

export const aiModels = group(
  'AIRouter',
  {
    id: 'AIModels',
    base: '/api/ai-router/models',
    doc: 'The catalogue of models with prices, limits and capabilities.',
  },
  {
    list: op.get('', {
      doc: 'List models with prices, limits and capabilities.',
      needs: 'AiRouterRead',
      query: listQuery(
        ['modelId', 'displayName', 'inputPricePerMTok', 'outputPricePerMTok', 'contextWindow', 'createdAtUtc', 'id'],
        {
          providerId: int64.optional(),
          kind: AIModelKind.optional(),
          enabled: boolean.optional(),
          capability: AIModelCapability.optional(),
          q: string.max(200).optional(),
        },
      ),
      data: page(AIModelDto),
    }),
    create: op.post('', {
      doc: 'Add a model to the catalogue by hand; list prices are taken where none are given.',
      needs: 'AiRouterWrite',
      body: fields({
        providerId: int64,
        modelId: name,
        providerModelName: name,
        displayName: name.nullish(),
        kind: AIModelKind.nullish(),
        contextWindow: tokens.nullish(),
        maxOutputTokens: tokens.nullish(),
        inputPricePerMTok: price.nullish(),
        outputPricePerMTok: price.nullish(),
        cachedInputPricePerMTok: price.nullish(),
        capabilities: z.array(AIModelCapability).nullish(),
        embeddingDimensions: tokens.nullish(),
        aliases: names.nullish(),
        tags: names.nullish(),
        enabled: boolean.nullish(),
      }),
      data: AIModelDto,
    }),
    get: op.get('/{id}', { doc: 'Get one model.', needs: 'AiRouterRead', data: AIModelDto }),
    patch: op.patch('/{id}', {
      doc: "Change a model's prices, limits, aliases or whether it is used.",
      needs: 'AiRouterWrite',
      body: fields({
        modelId: name.optional(),
        displayName: name.optional(),
        contextWindow: tokens.optional(),
        maxOutputTokens: tokens.nullish(),
        inputPricePerMTok: price.optional(),
        outputPricePerMTok: price.optional(),
        cachedInputPricePerMTok: price.nullish(),
        capabilities: z.array(AIModelCapability).optional(),
        embeddingDimensions: tokens.nullish(),
        aliases: names.optional(),
        tags: names.optional(),
        enabled: boolean.optional(),
      }),
      data: AIModelDto,
    }),
    remove: op.delete('/{id}', {
      doc: 'Remove a model from the catalogue and from routes.',
      needs: 'AiRouterWrite',
      data: nothing,
    }),
  },
);
