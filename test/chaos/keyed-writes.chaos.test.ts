// Requests with Idempotency-Keys, many at once whenever the server is killed at a random moment, on every store.
// RIVULET_KILLS=20 is a longer run by hand.
import { it, onTestFinished } from 'vitest';
import { createChildServer } from '../support/child-server.ts';
import { surviveKills } from '../support/keyed-writes.ts';
import { killsOf, randomOf, seed } from '../support/seed.ts';
import { onEachServer } from '../support/servers/each.ts';
import { configured, mongoJavaServer } from '../support/servers/mongo.ts';

const kills = killsOf(8);
/** A kill hits what is under way: between two of them all writers need only to have come to a new write, and to another. */
const storm = { keys: 60 * kills, atOnce: 24, kills };
/** The servers of the tests answer slowly, and FerretDB loses updates by itself, so that it is left out. */
const overTheWire = { keys: 36 * kills, atOnce: 12, kills };

it(`are carried out once on the embedded store (seed ${seed})`, async () => {
  const server = await createChildServer();
  onTestFinished(() => server.close());
  await server.start();
  await surviveKills({ server, ...storm, random: randomOf(seed) });
});

await onEachServer('keyed writes', [configured, mongoJavaServer], (kind) => {
  it(`are carried out once on ${kind.name} (seed ${seed})`, async () => {
    const mongo = await kind.start();
    onTestFinished(() => mongo.stop());
    const uri = new URL(mongo.uri);
    uri.pathname = `/keyed_${Date.now()}`;
    const server = await createChildServer({ MONGODB_URI: uri.href });
    onTestFinished(() => server.close());
    await server.start();
    await surviveKills({ server, ...overTheWire, random: randomOf(seed) });
  });
});
