// The address by which this machine reaches a server that listens here.

/** An address that works on this machine, also when the server listens on all of its interfaces. */
export function localUrl(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host;
  return `http://${name}:${port}`;
}
