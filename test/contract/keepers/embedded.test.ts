// The contract of keepers on the embedded store.
import { systemClock } from '../../../src/kernel/clock.ts';
import { openWorldDb } from '../../support/embedded-db.ts';
import { keeperContract } from './suite.ts';

keeperContract({ name: 'the embedded store', open: () => openWorldDb(systemClock, []) });
