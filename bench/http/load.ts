// Load generator: keeps connections busy with one request each and counts answers. A process of its own.
import { connect } from 'node:net';

const [port, connections, warmSeconds, seconds, path] = process.argv.slice(2);
const request = Buffer.from(
  `GET ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer bench\r\naccept: application/json\r\n\r\n`,
);
let answers = 0;
let failures = 0;
const lateness: number[] = [];

/** Length of an answer from its head; all answers of one run are measured, since request ids may differ in length. */
function lengthOf(bytes: Buffer): number | null {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const head = bytes.toString('latin1', 0, end);
  if (!head.startsWith('HTTP/1.1 200')) failures++;
  const length = /content-length: (\d+)/i.exec(head)?.[1];
  return end + 4 + Number(length);
}

for (let i = 0; i < Number(connections); i++) {
  const socket = connect(Number(port), '127.0.0.1');
  socket.setNoDelay(true);
  let pending = Buffer.alloc(0);
  let sentAt = performance.now();
  const send = () => {
    sentAt = performance.now();
    socket.write(request);
  };
  socket.on('connect', send);
  socket.on('error', () => failures++);
  socket.on('data', (chunk) => {
    pending = pending.length === 0 ? chunk : Buffer.concat([pending, chunk]);
    const length = lengthOf(pending);
    if (length === null || pending.length < length) return;
    pending = Buffer.alloc(0);
    answers++;
    if (answers % 50 === 0) lateness.push(performance.now() - sentAt);
    send();
  });
}

setTimeout(() => {
  answers = 0;
  lateness.length = 0;
  const start = performance.now();
  process.send?.('measuring');
  setTimeout(() => {
    lateness.sort((a, b) => a - b);
    const at = (share: number) => lateness[Math.floor(lateness.length * share)] ?? 0;
    const perSecond = answers / ((performance.now() - start) / 1000);
    process.send?.({ answers, perSecond, failures, p50: at(0.5), p99: at(0.99) }, () => process.exit(0));
  }, Number(seconds) * 1000);
}, Number(warmSeconds) * 1000);
