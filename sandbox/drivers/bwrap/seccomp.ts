// The system call filter of a sandbox, assembled as classic BPF for bwrap's --seccomp.
import {
  type Architecture,
  namespaceFlags,
  newestCall,
  socketFamilies,
  systemCalls,
  terminalRequests,
} from '../syscalls.ts';

// Linux uapi: filter.h, bpf_common.h, seccomp.h, audit.h, errno.h.
const load = 0x20;
const jumpIfEqual = 0x15;
const jumpIfAtLeast = 0x35;
const jumpIfAnyBit = 0x45;
const done = 0x06;

const allow = 0x7fff0000;
const killProcess = 0x80000000;
const refuse = (errno: number) => 0x00050000 | errno;
const EPERM = 1;
const ENOSYS = 38;
const EAFNOSUPPORT = 97;

const offsetOfNumber = 0;
const offsetOfArchitecture = 4;
/** Low half of argument n; both architectures are little-endian. */
const offsetOfArgument = (n: number) => 16 + 8 * n;

const auditArchitecture = { x64: 0xc000003e, arm64: 0xc00000b7 } as const;
/** x32 calls carry this bit in their number. */
const x32Bit = 0x40000000;
const anyNamespace = namespaceFlags.reduce((all, flag) => all | flag, 0);

interface Instruction {
  code: number;
  whenTrue: number;
  whenFalse: number;
  value: number;
}

const statement = (code: number, value: number): Instruction => ({ code, whenTrue: 0, whenFalse: 0, value });
const returns = (verdict: number) => statement(done, verdict);
const jump = (code: number, value: number, whenTrue: number, whenFalse: number): Instruction => ({
  code,
  whenTrue,
  whenFalse,
  value,
});
/** Returns the verdict if the comparison holds, else continues. */
const returnIf = (code: number, value: number, verdict: number) => [jump(code, value, 0, 1), returns(verdict)];
/** Runs `body`, which must end in a return, only for the call `number`. */
const forCall = (number: number, body: Instruction[]) => [jump(jumpIfEqual, number, 0, body.length), ...body];

/** The filter's instructions, in order. A deny list: what it doesn't name is allowed. */
export function seccompInstructions(architecture: Architecture): Instruction[] {
  const calls = systemCalls(architecture);
  return [
    statement(load, offsetOfArchitecture),
    jump(jumpIfEqual, auditArchitecture[architecture], 1, 0),
    returns(killProcess),
    statement(load, offsetOfNumber),
    ...(architecture === 'x64' ? returnIf(jumpIfAtLeast, x32Bit, killProcess) : []),
    ...returnIf(jumpIfAtLeast, newestCall + 1, refuse(ENOSYS)),
    // libc falls back to clone, whose flags a filter can read.
    ...returnIf(jumpIfEqual, calls.clone3, refuse(ENOSYS)),
    ...calls.refused.flatMap((number) => returnIf(jumpIfEqual, number, refuse(EPERM))),
    ...forCall(calls.clone, [
      statement(load, offsetOfArgument(0)),
      ...returnIf(jumpIfAnyBit, anyNamespace, refuse(EPERM)),
      returns(allow),
    ]),
    ...forCall(calls.ioctl, [
      statement(load, offsetOfArgument(1)),
      ...terminalRequests.flatMap((request) => returnIf(jumpIfEqual, request, refuse(EPERM))),
      returns(allow),
    ]),
    ...forCall(calls.socket, [
      statement(load, offsetOfArgument(0)),
      ...socketFamilies.flatMap((family) => returnIf(jumpIfEqual, family, allow)),
      returns(refuse(EAFNOSUPPORT)),
    ]),
    returns(allow),
  ];
}

/** The filter as bytes: `struct sock_filter` after `struct sock_filter`. */
export function seccompFilter(architecture: Architecture): Buffer {
  const instructions = seccompInstructions(architecture);
  const bytes = Buffer.alloc(instructions.length * 8);
  instructions.forEach(({ code, whenTrue, whenFalse, value }, index) => {
    bytes.writeUInt16LE(code, index * 8);
    bytes.writeUInt8(whenTrue, index * 8 + 2);
    bytes.writeUInt8(whenFalse, index * 8 + 3);
    bytes.writeUInt32LE(value >>> 0, index * 8 + 4);
  });
  return bytes;
}
