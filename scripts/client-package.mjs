// Fills clients/javascript/dist from the built client, for `npm pack`: the module, and types that need no other package.
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const target = join(root, 'clients/javascript/dist');
rmSync(target, { recursive: true, force: true });
for (const name of ['index.js', 'index.js.map', 'types'])
  cpSync(join(root, 'dist/client', name), join(target, name), { recursive: true });
cpSync(join(root, 'src/web/public/embed.js'), join(target, 'embed.js'));
cpSync(join(root, 'LICENSE'), join(root, 'clients/javascript/LICENSE'));
withZodTypes(join(target, 'types'));

/** The declarations are written in zod's types: these come along, so that nobody has to install them. */
function withZodTypes(types) {
  const zod = join(root, 'node_modules/zod');
  const own = join(types, 'zod');
  mkdirSync(own);
  for (const name of ['index.d.ts', 'LICENSE', 'v4/classic', 'v4/core', 'v4/locales'])
    cpSync(join(zod, name), join(own, name), {
      recursive: true,
      filter: (path) => !/\.[cm]?js$|\.d\.cts$/.test(path),
    });
  const entries = { zod: 'index.js', 'zod/v4/core': 'v4/core/index.js' };
  for (const file of readdirSync(types, { recursive: true })) {
    if (!file.endsWith('.d.ts') || file.startsWith('zod/')) continue;
    const path = join(types, file);
    const text = readFileSync(path, 'utf8').replace(
      /((?:from |import\()['"])(zod(?:\/v4\/core)?)(?=['"])/g,
      (_, head, name) => {
        const way = relative(dirname(path), join(own, entries[name]));
        return head + (way.startsWith('.') ? way : `./${way}`);
      },
    );
    writeFileSync(path, text);
  }
}
