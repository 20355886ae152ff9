// Rough counts of tokens, for providers that report none.
import type { ModelRequest } from '../../../runtime/model.ts';

/** Rough tokens of a whole request, tools included. */
export function estimatePrompt({ messages, tools }: Pick<ModelRequest, 'messages' | 'tools'>): number {
  const texts = messages.map((message) => {
    if (typeof message.content !== 'string')
      return message.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    const calls =
      message.role === 'assistant' ? (message.toolCalls ?? []).map((call) => call.argumentsJson).join('') : '';
    return message.content + calls;
  });
  return estimateTokens(texts.join('') + (tools?.length ? JSON.stringify(tools) : '')) + 4 * messages.length;
}

const wideCharacters = /[\u2e80-\u9fff\uac00-\ud7af\uff00-\uffef]/g;

/** Rough token count of a text, for providers that report none: four characters, or one CJK character, a token. */
export function estimateTokens(text: string): number {
  const wide = text.match(wideCharacters)?.length ?? 0;
  return Math.ceil((text.length - wide) / 4) + wide;
}
