// Takes events of the payment service: verified over the raw body, stored before the answer, worked out once.
import type { z } from 'zod';
import { implement } from '../../contract/operation.ts';
import { Fault } from '../../kernel/fault.ts';
import { isDuplicate } from '../../ports/duplicate.ts';
import type { BillingBook } from '../billing/book.ts';
import { apply } from './applying.ts';
import { PaymentEvent, paymentWebhook } from './contract.ts';
import type { PaymentWebhookAckDto } from './dto.ts';
import { factsOf } from './facts.ts';
import { type PaymentEventDoc, paymentEventSpec } from './record.ts';
import { requireSigned } from './signature.ts';

export interface PaymentWebhookDeps {
  book: BillingBook;
  /** Null where nobody has set one. */
  secret: string | null;
}

export const paymentWebhookService = implement(paymentWebhook, ({ book, secret }: PaymentWebhookDeps) => ({
  receive: async ({ request }) => {
    if (secret === null)
      throw new Fault('NOT_CONFIGURED', 'This server takes no events of a payment service.', {
        hint: 'Its operator sets RIVULET_PAYMENT_WEBHOOK_SECRET.',
      });
    requireSigned(request.header('stripe-signature') ?? null, request.bytes, secret, book.clock.now());
    return takeEvent(book, readEvent(request.bytes));
  },
}));

/** Keeps an event and works it out, once; one that was kept and not worked out before is now. */
export async function takeEvent(book: BillingBook, read: z.output<typeof PaymentEvent>): Promise<PaymentWebhookAckDto> {
  const { event, isNew } = await enter(book, read);
  const known = event.isWaiting ? await workOut(book, event) : event;
  const { _id: eventId, type: eventType } = event;
  return { received: true, eventId, eventType, duplicate: !isNew, handled: known.handled };
}

/** @throws Fault BAD_REQUEST, VALIDATION_FAILED */
function readEvent(bytes: Uint8Array) {
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    throw new Fault('BAD_REQUEST', 'The event is no JSON.', { hint: 'Send it as the service made it.' });
  }
  const read = PaymentEvent.safeParse(json);
  if (read.success) return read.data;
  throw new Fault('VALIDATION_FAILED', 'The event has no id, type, created or data.', {
    hint: 'Send it as the service made it.',
  });
}

/** An event is kept once: one that came before finds itself. */
async function enter({ db, clock }: BillingBook, read: z.output<typeof PaymentEvent>) {
  const events = db.collection(paymentEventSpec);
  const event: PaymentEventDoc = {
    _id: read.id,
    type: read.type,
    created: new Date(Math.min(read.created * 1000, 8_640_000_000_000_000)),
    ...factsOf(read.type, read.data),
    ...{ tenantId: null, isWaiting: true, handled: false, createdAt: new Date(clock.now()) },
  };
  try {
    await events.insertOne(event);
    return { event, isNew: true };
  } catch (error) {
    const there = isDuplicate(error) && (await events.findOne({ _id: event._id }));
    if (!there) throw error;
    return { event: there, isNew: false };
  }
}

async function workOut(book: BillingBook, event: PaymentEventDoc): Promise<PaymentEventDoc> {
  const events = book.db.collection(paymentEventSpec);
  const outcome = { ...(await apply(book, event)), isWaiting: false };
  await events.updateOne({ _id: event._id, isWaiting: true }, { $set: outcome });
  return { ...event, ...outcome };
}

/** Events whose server died before they were worked out; younger ones may be under way. */
export async function workOutLeft(book: BillingBook): Promise<void> {
  const createdAt = { $lt: new Date(book.clock.now() - 60_000) };
  const events = book.db.collection(paymentEventSpec);
  const left = await events.find({ isWaiting: true, createdAt }, { sort: { createdAt: 1 }, limit: 100 }).toArray();
  for (const event of left) await workOut(book, event);
}
