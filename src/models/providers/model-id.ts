// Model ids: `provider:model`, where the model's own name may contain further colons.
import { Fault } from '../../kernel/fault.ts';

export interface ModelId {
  provider: string;
  name: string;
}

/**
 * Splits `provider:model` at its first colon.
 *
 * @example parseModelId('ollama:llama3.2:3b') // { provider: 'ollama', name: 'llama3.2:3b' }
 */
export function parseModelId(modelId: string): ModelId {
  const colon = modelId.indexOf(':');
  if (colon < 1 || colon === modelId.length - 1) {
    throw new Fault('BAD_REQUEST', `"${modelId.slice(0, 100)}" is not a model id.`, {
      hint: 'Write provider:model, for example openai:gpt-5-mini or scripted:demo.',
    });
  }
  return { provider: modelId.slice(0, colon), name: modelId.slice(colon + 1) };
}
