// Tokens as OpenAI's clients write them, and how many a text has: by the tokenizer of the models that most of them mean.

import type { ModelRequest } from '../../../runtime/model.ts';

/** The tables of the tokenizer are loaded on first use: they are as large as the rest of an idle server's code. */
const tokenizer = () => import('gpt-tokenizer/encoding/cl100k_base');

/** The text of tokens. */
export const decodeTokens = async (tokens: readonly number[]): Promise<string> => (await tokenizer()).decode(tokens);

const countTokens = async (text: string): Promise<number> => (await tokenizer()).countTokens(text);

/** Estimated tokens of an image or a document; only its provider knows the real number. */
const mediaTokens = 1_500;
/** Of each message besides its text. */
const messageTokens = 4;

/** About how many tokens a prompt has. */
export async function countPrompt({ messages, tools = [] }: Pick<ModelRequest, 'messages' | 'tools'>): Promise<number> {
  const texts: string[] = tools.length > 0 ? [JSON.stringify(tools)] : [];
  let besides = messages.length * messageTokens;
  for (const message of messages) {
    if (typeof message.content === 'string') texts.push(message.content);
    else
      for (const part of message.content)
        if (part.type === 'text') texts.push(part.text);
        else besides += mediaTokens;
    if (message.role === 'assistant') texts.push(JSON.stringify(message.toolCalls ?? []), message.reasoning ?? '');
  }
  return besides + (await countTokens(texts.join('\n')));
}
