// Quoting and command lines for a POSIX shell.

/** The text as one word. */
export function shellQuote(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}

/** Arguments that run a command line in bash where the sandbox has it, else in sh. */
export function shellCommand(command: string): string[] {
  const script = 'if command -v bash >/dev/null 2>&1; then exec bash -c "$1"; else exec sh -c "$1"; fi';
  return ['/bin/sh', '-c', script, 'sh', command];
}
