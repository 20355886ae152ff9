// Billing as a part of the server; its service needs to know the operator, and stands in the wiring.
import { part } from '../part.ts';
import { invoiceRecord, periodSpec, planRecord, subscriptionRecord } from './record.ts';

export const billingPart = part({
  records: [planRecord, subscriptionRecord, { spec: periodSpec }, invoiceRecord],
  contracts: [],
  serve: () => [],
  samples: [],
});
