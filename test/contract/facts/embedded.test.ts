// The contract of facts on the embedded store.
import { systemClock } from '../../../src/kernel/clock.ts';
import { openWorldDb } from '../../support/embedded-db.ts';
import { factsContract } from './suite.ts';

factsContract({ name: 'the embedded store', open: () => openWorldDb(systemClock, []) });
