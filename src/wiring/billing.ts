// Opens billing: the book, its look at what time has brought, and its services.

import type { Config } from '../config.ts';
import type { AnyService } from '../contract/operation.ts';
import { type BillingBook, createBillingBook } from '../groups/billing/book.ts';
import { look } from '../groups/billing/closing.ts';
import { beginDefaults } from '../groups/billing/defaults.ts';
import { billingService } from '../groups/billing/service.ts';
import { happened, hasOverdue } from '../groups/billing/subscriptions.ts';
import { paymentWebhookService, workOutLeft } from '../groups/payment-webhook/service.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Round } from '../kernel/rounds.ts';
import { perTenant } from '../ports/tenanted.ts';
import { runs } from '../stores/runs/collections.ts';
import type { Storage } from './storage.ts';
import type { OpenStreams } from './streams.ts';

interface Deps {
  config: Pick<Config, 'paymentWebhookSecret'>;
  storage: Storage;
  streams: Pick<OpenStreams, 'publisher'>;
  /** The tenant of those who run the server. */
  tenantId: number;
  clock: Clock;
}

/** Interval in ms of the look at subscriptions. */
const lookEveryMs = 60_000;

export function openBilling({ config, storage, streams, tenantId, clock }: Deps) {
  const { db, ids, meters, auth } = storage;
  const { publisher } = streams;
  const hasPaymentService = config.paymentWebhookSecret !== null;
  const book: BillingBook = createBillingBook({
    ...{ db, ids, clock, publisher, meters, operatorTenantId: tenantId, hasPaymentService },
  });
  const moves = {
    happened: (...[doc, happening]: Parameters<Parameters<typeof look>[1]['happened']>) =>
      happened(book, doc, happening),
    hasOverdue: (of: number) => hasOverdue(book, of),
  };
  const work = async (signal: AbortSignal) => {
    await beginDefaults(book, auth.tenants);
    await look(book, moves, signal);
    await workOutLeft(book);
  };
  const round: Round = { name: 'the subscriptions', everyMs: lookEveryMs, work };
  const services: AnyService[] = [
    billingService({ book, runs: perTenant(db.collection(runs)), units: storage.units }),
    paymentWebhookService({ book, secret: config.paymentWebhookSecret }),
  ];
  return { round, services };
}
export type OpenBilling = ReturnType<typeof openBilling>;
