// Numbers of the system calls that the filter refuses, for the two architectures it knows.

/**
 * [x86-64, arm64]; null where the architecture lacks the call. Sources: Linux `unistd_64.h`, `asm-generic/unistd.h`.
 */
const table = {
  // looking into, or reaching into, other processes
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  process_madvise: [440, 440],
  kcmp: [312, 272],
  pidfd_getfd: [438, 438],
  // keyrings
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  // large or young attack surface of the kernel
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
  memfd_secret: [447, 447],
  modify_ldt: [154, null],
  uselib: [134, null],
  ustat: [136, null],
  sysfs: [139, null],
  _sysctl: [156, null],
  nfsservctl: [180, 42],
  lookup_dcookie: [212, 18],
  fanotify_init: [300, 262],
  fanotify_mark: [301, 263],
  personality: [135, 92],
  // mounts
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_tree_attr: [467, 467],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  swapon: [167, 224],
  swapoff: [168, 225],
  // namespaces
  unshare: [272, 97],
  setns: [308, 268],
  // file handles leave the mount tree
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  // the host's kernel, clock and names
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  create_module: [174, null],
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  reboot: [169, 142],
  syslog: [103, 116],
  acct: [163, 89],
  vhangup: [153, 58],
  iopl: [172, null],
  ioperm: [173, null],
  sethostname: [170, 161],
  setdomainname: [171, 162],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  clock_adjtime: [305, 266],
  adjtimex: [159, 171],
  // memory of other processes and nodes
  move_pages: [279, 239],
  migrate_pages: [256, 238],
  mbind: [237, 235],
  set_mempolicy: [238, 237],
  set_mempolicy_home_node: [450, 450],
} as const satisfies Record<string, readonly [number | null, number | null]>;

/** Calls that are judged by their arguments. */
const special = {
  clone: [56, 220],
  clone3: [435, 435],
  ioctl: [16, 29],
  socket: [41, 198],
} as const;

/** Namespace flags of clone: NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. */
export const namespaceFlags = [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000];
/** ioctl requests that type into a terminal: TIOCSTI, TIOCLINUX. */
export const terminalRequests = [0x5412, 0x541c];
/** Socket families that a sandbox may open: UNIX, INET, INET6. */
export const socketFamilies = [1, 2, 10];

/** Names of the refused calls, for filters that use names. */
export const refusedNames = Object.keys(table);

/** Newest call that this table was checked against; later ones are refused as unknown. */
export const newestCall = 466;

export type Architecture = 'x64' | 'arm64';

/** The refused calls of an architecture and the numbers of those that are checked by argument. */
export function systemCalls(architecture: Architecture) {
  const column = architecture === 'x64' ? 0 : 1;
  return {
    refused: Object.values(table)
      .map((numbers) => numbers[column])
      .filter((number): number is NonNullable<typeof number> => number !== null && number <= newestCall),
    clone: special.clone[column],
    clone3: special.clone3[column],
    ioctl: special.ioctl[column],
    socket: special.socket[column],
  };
}
