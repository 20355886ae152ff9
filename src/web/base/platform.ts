// What browsers keep from pages of plain HTTP: ids, the clipboard, locks. Here is a way to each that works on every page.

const hex = (byte: number) => byte.toString(16).padStart(2, '0');

/** A version 4 UUID. `crypto.randomUUID` is there on secure pages only; random values are there on all. */
export function newId(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  // The version and the variant of RFC 9562.
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return Array.from(bytes, hex)
    .join('')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** Copies by a selection, the older way, which plain HTTP leaves open. */
function copySelected(text: string): boolean {
  const focused = document.activeElement as HTMLElement | null;
  const box = document.createElement('textarea');
  box.value = text;
  box.readOnly = true;
  box.className = 'visually-hidden';
  document.body.append(box);
  box.select();
  const copied = document.execCommand('copy');
  box.remove();
  focused?.focus();
  return copied;
}

/** Puts a text into the clipboard; false where the browser does not allow it. */
export async function writeClipboard(text: string): Promise<boolean> {
  const clipboard = navigator.clipboard as Clipboard | undefined;
  if (clipboard) {
    try {
      await clipboard.writeText(text);
      return true;
    } catch {
      // The permission may be withheld although the page is secure.
    }
  }
  return copySelected(text);
}

/** How long a tab that died may hold a lease, and how long a new one must stand before it counts, ms. */
const leaseMs = 10_000;
const settleMs = 40;
const pause = () => new Promise((resolve) => setTimeout(resolve, settleMs * (1 + Math.random())));

/** A lock for want of the browser's: a lease in the storage that all tabs share. */
async function underLease<T>(name: string, run: () => Promise<T>): Promise<T> {
  const key = `${name}.lease`;
  const mine = newId();
  const holder = () => (localStorage.getItem(key) ?? '').split(' ');
  for (;;) {
    const [id, until] = holder();
    if (id === mine) break;
    if (Number(until ?? 0) < Date.now()) localStorage.setItem(key, `${mine} ${Date.now() + leaseMs}`);
    await pause();
  }
  try {
    return await run();
  } finally {
    if (holder()[0] === mine) localStorage.removeItem(key);
  }
}

/** Runs something in one tab at a time. */
export function exclusively<T>(name: string, run: () => Promise<T>): Promise<T> {
  const locks = navigator.locks as LockManager | undefined;
  return locks ? locks.request(name, run) : underLease(name, run);
}
