// A bare Fastify route that answers the same text each time: what a request of that size costs without a store.
import fastify from 'fastify';

let body = '';
const app = fastify();
app.get('/', (_, reply) => reply.type('application/json').send(body));
await app.listen({ host: '127.0.0.1', port: 0 });
process.on('disconnect', () => process.exit());
process.on('message', (message: { body?: string }) => {
  if (message.body !== undefined) body = message.body;
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuMicros: user + system });
});
process.send?.({ url: `http://127.0.0.1:${(app.server.address() as { port: number }).port}` });
