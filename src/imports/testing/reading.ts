// Reads a file of an archive as an import does, for tests.
import { readFile } from '../read-file.ts';

/** What a file says, each with its format's name. Comes in small chunks, so that texts and letters are cut anywhere. */
export async function read(name: string, content: string | object, chunk = 7) {
  const bytes = Buffer.from(typeof content === 'string' ? content : JSON.stringify(content));
  const found = [];
  const file = {
    name,
    async *read() {
      for (let from = 0; from < bytes.length; from += chunk) yield bytes.subarray(from, from + chunk);
    },
  };
  for await (const { parsed, format } of readFile(file)) found.push({ ...parsed, format: format?.name ?? null });
  return found;
}

/** A conversation in which the person and the model take turns. */
export const said = (...texts: string[]) => ({
  kind: 'conversation',
  messages: texts.map((content, n) => ({ role: n % 2 ? 'assistant' : 'user', content })),
});
