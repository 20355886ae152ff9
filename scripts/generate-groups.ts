// Writes the lists of groups, events, parts and types of answers from the folders of src/groups, so that a new group is
// its folder alone.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const root = join(import.meta.dirname, '../src/groups');
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();

/** The exports of all files of a name that are declared as `pattern` says, with where they are. */
function declared(fileName: string, pattern: RegExp): { path: string; names: string[] }[] {
  return files
    .filter((path) => path.endsWith(`/${fileName}`))
    .map((path) => ({
      path,
      names: [...readFileSync(join(root, path), 'utf8').matchAll(pattern)].map(([, name]) => name as string),
    }))
    .filter(({ names }) => names.length > 0);
}

function write(
  file: string,
  head: string,
  found: { path: string; names: string[] }[],
  body: (names: string[]) => string,
) {
  const imports = found.map(({ path, names }) => `import { ${names.join(', ')} } from './${path}';`);
  const text = [
    `// ${head} Written by \`npm run openapi\`: do not edit.`,
    ...imports,
    '',
    body(found.flatMap((one) => one.names)),
  ];
  writeFileSync(join(root, file), `${text.join('\n')}\n`);
}

write(
  'index.ts',
  'Every group of operations that the server offers, by the name that the client uses.',
  declared('contract.ts', /^export const (\w+) = group\(/gm),
  // Named one by one: what is inferred of all their schemas is more than a declaration can hold.
  (names) => `export type Groups = {\n${names.map((name) => `${name}: typeof ${name};`).join('\n')}\n};

export const groups: Groups = {\n${names.join(',\n')},\n};`,
);
write(
  'events.ts',
  'Every event that the server publishes, by its type; publisher, client, AsyncAPI document and tests follow from it.',
  declared('events.ts', /^export const (\w+) = \{$/gm),
  (names) => `export const eventTypes = {\n${names.map((name) => `...${name}`).join(',\n')},\n};

export type EventTypeName = keyof typeof eventTypes;
/** Payload by event type. */
export type EventPayloads = { [Type in EventTypeName]: z.output<(typeof eventTypes)[Type]['data']> };`,
);
const events = join(root, 'events.ts');
writeFileSync(events, readFileSync(events, 'utf8').replace('\nimport', "\nimport type { z } from 'zod';\nimport"));
write(
  'parts.ts',
  'The parts of the server, one a group.',
  declared('part.ts', /^export const (\w+) = part\(/gm),
  (names) => `export const parts = [\n${names.join(',\n')},\n] as const;`,
);
const answers = [
  '// Types of the answers of every operation. Written by `npm run openapi`: do not edit.',
  // Answers of /v1 are those of other clients' own types.
  ...files
    .filter((path) => path.endsWith('/dto.ts') && path !== 'chat-completions/dto.ts')
    .map((path) => `export type * from '../groups/${path}';`),
];
writeFileSync(join(root, '../client/answers.ts'), `${answers.join('\n')}\n`);
const written = ['index.ts', 'events.ts', 'parts.ts', '../client/answers.ts'].map((file) =>
  relative(process.cwd(), join(root, file)),
);
const biome = join(dirname(root), '../node_modules/.bin/biome');
execFileSync(biome, ['check', '--write', '--log-level=error', ...written], { stdio: 'inherit' });
