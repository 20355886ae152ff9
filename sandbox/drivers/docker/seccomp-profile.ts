// Seccomp profile of a container, in Docker's JSON: the same refusals as with bubblewrap.
import { namespaceFlags, refusedNames, socketFamilies, terminalRequests } from '../syscalls.ts';

interface Rule {
  names: string[];
  action: 'SCMP_ACT_ERRNO';
  errnoRet: number;
  args?: {
    index: number;
    value: number;
    valueTwo?: number;
    op: 'SCMP_CMP_EQ' | 'SCMP_CMP_GT' | 'SCMP_CMP_MASKED_EQ';
  }[];
}

const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

/** A profile for the engine's own architecture; calls of any other are killed. */
export function seccompProfile() {
  const refuse = (names: string[], errnoRet = EPERM, args?: Rule['args']): Rule => ({
    names,
    action: 'SCMP_ACT_ERRNO',
    errnoRet,
    ...(args ? { args } : {}),
  });
  const highest = Math.max(...socketFamilies);
  const gaps = Array.from({ length: highest }, (_, family) => family).filter(
    (family) => !socketFamilies.includes(family),
  );
  return {
    defaultAction: 'SCMP_ACT_ALLOW',
    syscalls: [
      refuse(refusedNames),
      refuse(['clone3'], ENOSYS),
      ...namespaceFlags.map((flag) =>
        refuse(['clone'], EPERM, [{ index: 0, value: flag, valueTwo: flag, op: 'SCMP_CMP_MASKED_EQ' }]),
      ),
      ...terminalRequests.map((value) => refuse(['ioctl'], EPERM, [{ index: 1, value, op: 'SCMP_CMP_EQ' }])),
      ...gaps.map((value) => refuse(['socket'], EAFNOSUPPORT, [{ index: 0, value, op: 'SCMP_CMP_EQ' }])),
      refuse(['socket'], EAFNOSUPPORT, [{ index: 0, value: highest, op: 'SCMP_CMP_GT' }]),
    ],
  };
}
