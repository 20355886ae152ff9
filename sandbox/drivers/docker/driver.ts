// The Docker driver: one hardened container a sandbox, through any engine that speaks Docker's API.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type Docker from 'dockerode';
import { type Clock, systemClock } from '../../../src/kernel/clock.ts';
import { Fault } from '../../../src/kernel/fault.ts';
import type { SandboxDriver, SandboxSpec } from '../driver.ts';
import { labels } from './container-options.ts';
import { findHostPath } from './host-paths.ts';
import { isMissing } from './missing.ts';
import { probeDocker } from './probe.ts';
import { createDockerSandbox, removeContainer } from './sandbox.ts';
import { seccompProfile } from './seccomp-profile.ts';

export interface DockerOptions {
  /** Directory of the server; it names this server among others on the same engine. */
  directory: string;
  /** Image of sandboxes whose spec names none. */
  image?: string;
  /** Sockets to try; the first that exists is used. */
  sockets?: string[];
  clock?: Clock;
}

const defaultImage = 'rivulet-sandbox';
const defaultSockets = ['/var/run/docker.sock', '/run/podman/podman.sock'];

/** A driver for Docker Engine or Podman's service. */
export function createDockerDriver(options: DockerOptions): SandboxDriver {
  const { directory, image = defaultImage, sockets = defaultSockets, clock = systemClock } = options;
  const socketPath = sockets.find((socket) => existsSync(socket));
  const living = new Set<string>();
  const ownerOf = once(() => readOwner(directory));
  const seccompOf = once(async () => {
    const profile = JSON.stringify(seccompProfile());
    const { Components = [] } = (await (await engine()).version()) as { Components?: { Name: string }[] };
    if (!Components.some((component) => component.Name.startsWith('Podman'))) return profile;
    const file = join(directory, 'seccomp.json');
    await writeFile(file, profile);
    return (await hostPathOf())(file);
  });
  // Loaded where there is an engine: it takes 25 MiB.
  const connect = once(async (): Promise<Docker | null> => {
    if (!socketPath) return null;
    const { default: Client } = await import('dockerode');
    return new Client({ socketPath });
  });
  const engine = async () => {
    const docker = await connect();
    if (docker) return docker;
    throw new Fault('NOT_CONFIGURED', 'There is no Docker engine.', { hint: 'Install Docker or use bubblewrap.' });
  };
  const hostPathOf = once(async () => {
    const found = await findHostPath(await engine());
    return (path: string) => found(path) ?? unseen(path);
  });
  const driver: SandboxDriver = {
    name: 'docker',
    proxies: join(directory, 'proxies'),
    probe: async () => {
      await mkdir(directory, { recursive: true });
      const create = (spec: SandboxSpec) => driver.create(spec);
      return probeDocker({ docker: await connect(), sockets, image, directory, create, hostPath: hostPathOf });
    },
    create: async (spec) => {
      const [owner, seccomp, hostPath] = [await ownerOf(), await seccompOf(), await hostPathOf()];
      const context = { spec, image: spec.image ?? image, seccomp, owner, hostPath };
      living.add(spec.id);
      try {
        const sandbox = await createDockerSandbox(await engine(), context, clock);
        return { ...sandbox, destroy: () => sandbox.destroy().finally(() => living.delete(spec.id)) };
      } catch (error) {
        living.delete(spec.id);
        throw missingImage(error, context.image);
      }
    },
    reconcile: async () => {
      await rm(join(directory, 'proxies'), { recursive: true, force: true });
      const docker = await connect();
      if (!docker) return [];
      const filters = { label: [`${labels.owner}=${await ownerOf()}`] };
      const found = await docker.listContainers({ all: true, filters });
      const orphans = found.filter((one) => !living.has(one.Labels[labels.sandbox] ?? ''));
      for (const { Id } of orphans) await removeContainer(docker.getContainer(Id), clock);
      return orphans.map((one) => one.Labels[labels.sandbox] ?? one.Id);
    },
  };
  return driver;
}

/** Calls `ask` once and caches the answer; failures are not cached. */
function once<Value>(ask: () => Promise<Value>): () => Promise<Value> {
  let answer: Promise<Value> | null = null;
  return () => {
    answer ??= ask().catch((error: unknown) => {
      answer = null;
      throw error;
    });
    return answer;
  };
}

async function readOwner(directory: string): Promise<string> {
  const file = join(directory, 'engine-owner');
  const known = await readFile(file, 'utf8').catch(() => '');
  if (known) return known;
  const made = randomUUID();
  await mkdir(directory, { recursive: true });
  await writeFile(file, made, { mode: 0o600 });
  return made;
}

/** @throws Fault NOT_CONFIGURED */
function unseen(path: string): never {
  throw new Fault('NOT_CONFIGURED', `The engine does not see ${path}: it is in this server’s container alone.`, {
    hint: 'Put RIVULET_DATA on a volume, or on a folder of the host that the container mounts.',
  });
}

function missingImage(error: unknown, image: string): unknown {
  if (!isMissing(error)) return error;
  return new Fault('NOT_CONFIGURED', `The engine has no image ${image}.`, {
    hint: `Build or pull it: docker build -t ${defaultImage} sandbox/image.`,
    cause: error,
  });
}
