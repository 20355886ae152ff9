// Renders the client's table of routes, the only thing that the client needs of the contracts at run time.
import type { Group } from '../src/contract/operation.ts';

const head = `// Method and path of each operation. Generated from the contracts by scripts/generate-client.ts: do not edit.
import type { RouteTable } from './api.ts';

export const routes: RouteTable = {
`;

/** The module's text. A route that answers a stream or a file ends with \`!\`. */
export function routeTable(groups: Record<string, Group>): string {
  const sections = Object.entries(groups).map(([name, group]) => {
    const lines = Object.entries(group.operations).map(([key, { method, path, reply }]) => {
      const mark = reply === 'file' || reply === 'stream' ? '!' : '';
      return `    ${key}: '${method} ${group.base}${path}${mark}',\n`;
    });
    return `  ${name}: {\n${lines.join('')}  },\n`;
  });
  return `${head}${sections.join('')}};\n`;
}
