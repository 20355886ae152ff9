// Loads a binary that was built against glibc 2.38 on Linux with an older glibc, Debian 12's 2.36 for example.
//
// Compilers since then call `strtol` and its like by new names, `__isoc23_strtol`, whose one difference is that they
// also read numbers in base 2. They are all that these binaries need of glibc 2.38. A copy of the binary asks for the
// old names instead.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { constants, tmpdir } from 'node:os';
import { join } from 'node:path';

const newNames = '__isoc23_';
const newGlibc = 'GLIBC_2.38';

/** Section types, flags and sizes of ELF for 64 bits (elf.h). */
const elf = { dynsym: 11, verneed: 0x6ffffffe, versym: 0x6fffffff, anyVersion: 1, weak: 2, symbolBytes: 24 };

interface Section {
  type: number;
  offset: number;
  size: number;
  link: number;
}

/**
 * Loads a copy of the binary that does without glibc 2.38; rejects where that is not all that it lacks, and where nothing
 * may be written or loaded in the temporary folder, as in one that is mounted with `noexec`.
 */
export async function loadForOlderGlibc<T>(file: string, temporary: string = tmpdir()): Promise<T> {
  return loadCopy<T>(file, temporary).catch((cause: Error) => {
    const what = `a copy of its binary for glibc before 2.38 does not load from ${temporary} (TMPDIR)`;
    throw new Error(`${what}: ${cause.message}`, { cause });
  });
}

async function loadCopy<T>(file: string, temporary: string): Promise<T> {
  const binary = withOlderNames(await readFile(file));
  // Readable by this user alone, and gone once it is mapped.
  const folder = await mkdtemp(join(temporary, 'rivulet-uws-'));
  try {
    const copy = join(folder, 'uws.node');
    await writeFile(copy, binary, { mode: 0o700 });
    const loaded = { exports: {} as T };
    process.dlopen(loaded, copy, constants.dlopen.RTLD_LAZY);
    return loaded.exports;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The binary with the old names; throws for what is no such binary. */
export function withOlderNames(original: Uint8Array): Buffer {
  const binary = Buffer.from(original);
  const isElf64 = binary.readUInt32BE(0) === 0x7f454c46 && binary[4] === 2 && binary[5] === 1;
  if (!isElf64) throw new Error('not a binary for Linux on 64 bits');
  const sections = sectionsOf(binary);
  const one = (type: number): Section => {
    const found = sections.find((section) => section.type === type);
    if (!found) throw new Error(`the binary has no section of type ${type}`);
    return found;
  };
  const symbols = one(elf.dynsym);
  const names = sections[symbols.link] as Section;
  const nameAt = (offset: number) => textAt(binary, names.offset + offset);
  const versions = one(elf.versym);
  for (let index = 0; index < symbols.size / elf.symbolBytes; index++) {
    const symbol = symbols.offset + index * elf.symbolBytes;
    const name = binary.readUInt32LE(symbol);
    if (!nameAt(name).startsWith(newNames)) continue;
    // The old name is the end of the new one.
    binary.writeUInt32LE(name + newNames.length, symbol);
    binary.writeUInt16LE(elf.anyVersion, versions.offset + 2 * index);
  }
  for (const needed of neededVersions(binary, one(elf.verneed)))
    if (nameAt(binary.readUInt32LE(needed + 8)) === newGlibc)
      binary.writeUInt16LE(binary.readUInt16LE(needed + 4) | elf.weak, needed + 4);
  return binary;
}

function sectionsOf(binary: Buffer): Section[] {
  const table = Number(binary.readBigUInt64LE(40));
  const [bytes, count] = [binary.readUInt16LE(58), binary.readUInt16LE(60)];
  return Array.from({ length: count }, (_, index) => {
    const at = table + index * bytes;
    return {
      type: binary.readUInt32LE(at + 4),
      offset: Number(binary.readBigUInt64LE(at + 24)),
      size: Number(binary.readBigUInt64LE(at + 32)),
      link: binary.readUInt32LE(at + 40),
    };
  });
}

/** Places of the records that name one version each, of all libraries. */
function* neededVersions(binary: Buffer, { offset }: Section): Generator<number> {
  for (let library = offset; ; ) {
    let version = library + binary.readUInt32LE(library + 8);
    for (let left = binary.readUInt16LE(library + 2); left > 0; left--) {
      yield version;
      version += binary.readUInt32LE(version + 12);
    }
    const next = binary.readUInt32LE(library + 12);
    if (next === 0) return;
    library += next;
  }
}

const textAt = (binary: Buffer, at: number): string => binary.toString('latin1', at, binary.indexOf(0, at));
