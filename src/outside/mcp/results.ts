// What a tool of an MCP server answered, as a model reads it: texts, and words for what is no text.
import type { CallToolResult } from '@modelcontextprotocol/client';

/** Characters that a model is shown of one answer. */
const mostChars = 200_000;

export function readResult({ content, structuredContent, isError }: CallToolResult): {
  content: string;
  isError: boolean;
} {
  const parts: string[] = content.map(wordsOf);
  if (parts.join('') === '' && structuredContent !== undefined) parts.push(JSON.stringify(structuredContent));
  const text = parts.filter((part) => part !== '').join('\n\n') || 'The tool answered nothing.';
  const cut =
    text.length > mostChars ? `${text.slice(0, mostChars)}\n… (${text.length - mostChars} more characters)` : text;
  return { content: cut, isError: isError === true };
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
      return 'text' in part.resource
        ? part.resource.text
        : `[${part.resource.uri}, ${part.resource.mimeType ?? 'bytes'}, not shown]`;
    default:
      return '';
  }
}
