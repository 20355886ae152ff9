import { expect, test } from 'vitest';
import { cureOf } from './probe.ts';

test.each([
  ["bwrap: Can't mount proc on /newroot/proc: Operation not permitted", 'ProtectKernelLogs'],
  ['bwrap: No permissions to create new namespace', 'kernel.unprivileged_userns_clone'],
  ['bwrap: setting up uid map: Permission denied', 'kernel.unprivileged_userns_clone'],
  ['The launcher ended with code 127.', 'by hand'],
])('“%s” is cured by what is its cause', (failure, cure) => {
  expect(cureOf(failure)).toContain(cure);
});
