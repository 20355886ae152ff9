// `npm run client:python`: generates the Python client from the OpenAPI document, and packs it as a wheel and an sdist.
import { execFileSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const folder = join(root, 'clients/python');
const run = (command, args) => execFileSync(command, args, { cwd: folder, stdio: 'inherit' });
const given = process.env.RIVULET_PYTHON_TOOLS;
const tools = given ?? join(folder, '.tools');
if (!given && !existsSync(join(tools, 'bin/openapi-python-client'))) {
  run('python3', ['-m', 'venv', tools]);
  run(join(tools, 'bin/pip'), ['install', '--quiet', '--disable-pip-version-check', '-r', 'tools.txt']);
}
const generated = join(folder, 'rivulet_client/generated');
rmSync(generated, { recursive: true, force: true });
rmSync(join(folder, 'dist'), { recursive: true, force: true });
run(join(tools, 'bin/openapi-python-client'), [
  ...['generate', '--path', join(root, 'docs/reference/openapi.json'), '--config', 'generator.yaml'],
  ...['--fail-on-warning', '--meta', 'none', '--output-path', generated],
]);
run(join(tools, 'bin/python'), ['-m', 'build', '--no-isolation', '--outdir', 'dist', '.']);
