// A server that will be killed: opens a sandbox, starts processes in it and says so on its output.
import { createBwrapDriver } from '../drivers/bwrap/driver.ts';
import { createDockerDriver } from '../drivers/docker/driver.ts';
import { freshSandbox, runIn } from './drivers.ts';

const [name, directory = '', socket = '', image = '', mark = ''] = process.argv.slice(2);
const driver =
  name === 'docker' ? createDockerDriver({ directory, sockets: [socket], image }) : createBwrapDriver({ directory });
const sandbox = await freshSandbox(driver, directory, 'doomed');
const { stdout } = await runIn(sandbox, 'ls -l /proc/self/fd; cat /proc/*/environ 2>/dev/null | tr "\\0" "\\n"');
console.log(JSON.stringify({ stdout }));
void runIn(sandbox, `(setsid sleep ${mark} &) ; (trap "" TERM HUP INT; sleep ${mark}) & sleep ${mark}`);
await new Promise((resolve) => setTimeout(resolve, 1_000));
console.log('running');
setInterval(() => {}, 1_000);
