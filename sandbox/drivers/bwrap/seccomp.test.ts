import { expect, test } from 'vitest';
import type { Architecture } from '../syscalls.ts';
import { seccompFilter, seccompInstructions } from './seccomp.ts';

interface Call {
  architecture: number;
  number: number;
  arguments?: number[];
}

const x64 = 0xc000003e;
const arm64 = 0xc00000b7;
const i386 = 0x40000003;
const verdicts: Record<number, string> = {
  2147418112: 'allow',
  2147483648: 'kill',
  327681: 'EPERM',
  327718: 'ENOSYS',
  327777: 'EAFNOSUPPORT',
};

/** Runs the assembled bytes as the kernel would. */
function run(architecture: Architecture, call: Call): string {
  const program = seccompFilter(architecture);
  const word = (offset: number) => {
    if (offset === 0) return call.number;
    if (offset === 4) return call.architecture;
    return call.arguments?.[(offset - 16) / 8] ?? 0;
  };
  let accumulator = 0;
  for (let at = 0; at < program.length; at += 8) {
    const [code, yes, no, value] = [
      program.readUInt16LE(at),
      program[at + 2],
      program[at + 3],
      program.readUInt32LE(at + 4),
    ];
    const jump = (condition: boolean) => {
      at += 8 * ((condition ? yes : no) as number);
    };
    if (code === 0x20) accumulator = word(value) >>> 0;
    else if (code === 0x15) jump(accumulator === value);
    else if (code === 0x35) jump(accumulator >= value);
    else if (code === 0x45) jump((accumulator & value) !== 0);
    else if (code === 0x06) return verdicts[value] ?? value.toString(16);
    else throw new Error(`unknown instruction ${code}`);
  }
  throw new Error('ran off the end');
}

const onX64 = (number: number, ...args: number[]) => run('x64', { architecture: x64, number, arguments: args });
const onArm64 = (number: number, ...args: number[]) => run('arm64', { architecture: arm64, number, arguments: args });

test.each([
  ['ptrace', 101, 117],
  ['mount', 165, 40],
  ['unshare', 272, 97],
  ['setns', 308, 268],
  ['keyctl', 250, 219],
  ['bpf', 321, 280],
  ['io_uring_setup', 425, 425],
  ['open_by_handle_at', 304, 265],
  ['init_module', 175, 105],
])('%s is refused', (_, numberOnX64, numberOnArm64) => {
  expect(onX64(numberOnX64)).toBe('EPERM');
  expect(onArm64(numberOnArm64)).toBe('EPERM');
});

test('ordinary calls pass', () => {
  for (const number of [0, 1, 2, 9, 39, 57, 59, 202, 257, 332, 451]) expect(onX64(number)).toBe('allow');
  for (const number of [56, 57, 63, 64, 172, 221, 222, 291]) expect(onArm64(number)).toBe('allow');
});

test('clone may make threads and processes but no namespaces; clone3 looks missing', () => {
  expect(onX64(56, 0x11)).toBe('allow');
  expect(onX64(56, 0x3d0f00)).toBe('allow');
  for (const flag of [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000]) {
    expect(onX64(56, flag | 0x11)).toBe('EPERM');
    expect(onArm64(220, flag | 0x11)).toBe('EPERM');
  }
  expect(onX64(435)).toBe('ENOSYS');
});

test('terminals can’t be fed, and only three kinds of sockets exist', () => {
  expect(onX64(16, 0, 0x5412)).toBe('EPERM');
  expect(onX64(16, 0, 0x541c)).toBe('EPERM');
  expect(onX64(16, 0, 0x5401)).toBe('allow');
  expect([1, 2, 10].map((family) => onX64(41, family))).toEqual(['allow', 'allow', 'allow']);
  expect([16, 17, 38, 40].map((family) => onArm64(198, family))).toEqual(Array(4).fill('EAFNOSUPPORT'));
});

test('other architectures and x32 are killed, unknown calls are missing', () => {
  expect(run('x64', { architecture: i386, number: 1 })).toBe('kill');
  expect(run('arm64', { architecture: x64, number: 1 })).toBe('kill');
  expect(onX64(0x40000000 + 1)).toBe('kill');
  expect(onX64(467)).toBe('ENOSYS');
});

test('the program fits the kernel’s limit', () => {
  expect(seccompInstructions('x64').length).toBeLessThan(4096);
});
