// Bad input to part 2 of the operations.
import { fuzz } from './fuzz.ts';

fuzz(2);
