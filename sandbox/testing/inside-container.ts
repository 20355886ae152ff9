// Run in a container of the engine whose socket it names: says what a server there finds, and what a sandbox of it does.
// The folder of the data, the socket, the image.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '../../src/kernel/clock.ts';
import { openSandbox } from '../commands/sandbox.ts';
import { createDockerDriver } from '../drivers/docker/driver.ts';
import { defaultLimits } from '../limits.ts';
import { openProxy } from '../network/proxy.ts';
import { sandboxUser } from '../user.ts';
import { runIn } from './drivers.ts';

const [data = '', socket = '', image = ''] = process.argv.slice(2);
const driver = createDockerDriver({ directory: join(data, 'docker'), sockets: [socket], image });
const { available, causes, cures } = await driver.probe();
let said = '';
if (available) {
  const workspace = join(data, 'workspaces/one');
  mkdirSync(workspace, { recursive: true, mode: 0o777 });
  writeFileSync(join(workspace, 'asked'), 'from the server\n');
  const proxy = await openProxy({ allow: [], parent: driver.proxies });
  const spec = { id: 'inside', workspace, user: sandboxUser('inside'), limits: defaultLimits };
  const sandbox = await openSandbox(driver, { ...spec, proxyDirectory: proxy.directory }, systemClock);
  said = (await runIn(sandbox, 'cat asked; [ -S /run/rivulet/proxy.sock ] && echo and its proxy')).stdout;
  await sandbox.destroy();
  await proxy.close();
}
process.stdout.write(JSON.stringify({ available, causes, cures, said }));
