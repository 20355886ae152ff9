// What billing tells.
import { type EventTable, event } from '../../contract/event.ts';
import { BillingSubscriptionDto, InvoiceDto } from './dto.ts';

export const billingEvents = {
  'subscription.updated': event.kept(
    BillingSubscriptionDto,
    ['billing'],
    'The plan or the payment state of the tenant has changed.',
  ),
  'invoice.updated': event.kept(InvoiceDto, ['billing'], 'An invoice was made, or its status has changed.'),
} satisfies EventTable;
