import type Docker from 'dockerode';
import { expect, test } from 'vitest';
import { findHostPath } from './host-paths.ts';

const [docker, podman] = ['d'.repeat(64), 'b'.repeat(64)];
const mounts = [
  { Source: '/var/lib/docker/volumes/data/_data', Destination: '/data' },
  { Source: '/srv/work', Destination: '/data/sandbox/workspaces' },
];

/** An engine with these containers. */
function engineOf(...ids: string[]): Pick<Docker, 'getContainer'> {
  const inspect = async (id: string) => {
    if (ids.includes(id)) return { Mounts: mounts };
    throw Object.assign(new Error('no such container'), { statusCode: 404 });
  };
  return { getContainer: ((id: string) => ({ inspect: () => inspect(id) })) as unknown as Docker['getContainer'] };
}

const beside = `22 1 8:1 / / rw,relatime - ext4 /dev/sda1 rw
104 102 0:44 / /proc rw - proc proc rw
96 80 0:52 / /var/lib/docker/overlay2/${docker}/merged rw,relatime - overlay overlay rw`;
const inDocker = `102 76 0:40 / / rw,relatime - overlay overlay rw,lowerdir=/var/lib/docker/overlay2/l/AB
107 102 8:1 /var/lib/docker/containers/${docker}/resolv.conf /etc/resolv.conf rw,relatime - ext4 /dev/sda1 rw
108 102 8:1 /var/lib/docker/containers/${docker}/hostname /etc/hostname rw,relatime - ext4 /dev/sda1 rw`;
const inPodman = `107 102 254:0 /run/containers/storage/overlay-containers/${podman}/userdata/hosts /etc/hosts rw - tmpfs tmpfs rw`;

const found = (mountInfo: string, ...ids: string[]) => findHostPath(engineOf(...ids), async () => mountInfo);

test.each([
  ['Docker', inDocker, docker],
  ['Podman', inPodman, podman],
])('in a container of %s paths go through its mounts, the innermost one', async (_, mountInfo, id) => {
  const hostPath = await found(mountInfo, id);
  expect(hostPath('/data')).toBe('/var/lib/docker/volumes/data/_data');
  expect(hostPath('/data/sandbox/docker')).toBe('/var/lib/docker/volumes/data/_data/sandbox/docker');
  expect(hostPath('/data/sandbox/workspaces/trees/run-1')).toBe('/srv/work/trees/run-1');
});

test('what no mount holds is not on the host', async () => {
  const hostPath = await found(inDocker, docker);
  expect(['/tmp/x', '/database', '/'].map(hostPath)).toEqual([null, null, null]);
});

test('beside the engine, and in a container of another engine, paths are the same', async () => {
  expect((await found(beside, docker))('/data')).toBe('/data');
  expect((await found(inDocker))('/data')).toBe('/data');
});

test('an engine that fails is no engine without the container', async () => {
  const broken = { getContainer: () => ({ inspect: () => Promise.reject(new Error('it hangs up')) }) };
  const finding = findHostPath(broken as unknown as Docker, async () => inDocker);
  await expect(finding).rejects.toThrow('it hangs up');
});
