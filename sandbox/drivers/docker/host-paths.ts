// Where the engine finds the files of a server that is itself one of its containers.
import { readFile } from 'node:fs/promises';
import type Docker from 'dockerode';
import { isMissing } from './missing.ts';

/** Path on the engine's host; null for what is in the server's container alone. */
type HostPath = (path: string) => string | null;

/** A folder of the host, and where the container has it. */
interface Mount {
  Source: string;
  Destination: string;
}

const asItIs: HostPath = (path) => path;

/** How the engine finds paths of this process. A server beside the engine, or one of another engine, has the same paths. */
export async function findHostPath(
  docker: Pick<Docker, 'getContainer'>,
  mountInfo: () => Promise<string> = () => readFile('/proc/self/mountinfo', 'utf8').catch(() => ''),
): Promise<HostPath> {
  for (const id of containersIn(await mountInfo())) {
    const found = await docker.getContainer(id).inspect().catch(unlessMissing);
    if (found) return throughMounts(found.Mounts);
  }
  return asItIs;
}

/** The engine's own files of a container, `…/<id>/hostname`, stand in it whatever its network is; Podman adds `userdata`. */
const ownFile = /\/([0-9a-f]{64})\/(?:userdata\/)?(?:hostname|hosts|resolv\.conf) \/etc\//g;

const containersIn = (mountInfo: string) => new Set([...mountInfo.matchAll(ownFile)].map(([, id]) => id!));

/** By the innermost mount that holds a path. */
function throughMounts(mounts: readonly Mount[]): HostPath {
  const innermost = mounts.toSorted((a, b) => b.Destination.length - a.Destination.length);
  return (path) => {
    const mount = innermost.find(({ Destination }) => path === Destination || path.startsWith(`${Destination}/`));
    return mount ? mount.Source + path.slice(mount.Destination.length) : null;
  };
}

function unlessMissing(error: unknown): null {
  if (isMissing(error)) return null;
  throw error;
}
