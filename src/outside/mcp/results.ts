// What an MCP server answered, as a model reads it: texts, and words for what is no text.
import type { CallToolResult, GetPromptResult, ReadResourceResult } from '@modelcontextprotocol/client';

export interface Answer {
  content: string;
  isError: boolean;
}

/** Characters that a model is shown of one answer. */
const mostChars = 200_000;

export function readResult({ content, structuredContent, isError }: CallToolResult): Answer {
  const parts: string[] = content.map(wordsOf);
  if (parts.join('') === '' && structuredContent !== undefined) parts.push(JSON.stringify(structuredContent));
  return { content: together(parts) || 'The tool answered nothing.', isError: isError === true };
}

export const readContents = (contents: ReadResourceResult['contents']): Answer => ({
  content: together(contents.map(wordsOfResource)) || 'The resource is empty.',
  isError: false,
});

export const readMessages = (messages: GetPromptResult['messages']): Answer => ({
  content: together(messages.map(({ role, content }) => `${role}: ${wordsOf(content)}`)) || 'The prompt is empty.',
  isError: false,
});

function together(parts: readonly string[]): string {
  const text = parts.filter((part) => part !== '').join('\n\n');
  return text.length > mostChars ? `${text.slice(0, mostChars)}\n… (${text.length - mostChars} more characters)` : text;
}

function wordsOf(part: CallToolResult['content'][number]): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'image':
    case 'audio':
      return `[${part.mimeType}, about ${Math.round((part.data.length * 3) / 4)} bytes, not shown]`;
    case 'resource_link':
      return `[${part.name}: ${part.uri}]`;
    case 'resource':
      return wordsOfResource(part.resource);
    default:
      return '';
  }
}

const wordsOfResource = (resource: ReadResourceResult['contents'][number]): string =>
  'text' in resource ? resource.text : `[${resource.uri}, ${resource.mimeType ?? 'bytes'}, not shown]`;
