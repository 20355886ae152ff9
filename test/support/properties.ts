// Properties are tried on other samples each time; with RIVULET_SEED on the same ones, so that a red run can be repeated.
import fc from 'fast-check';

const { RIVULET_SEED: seed } = process.env;
if (seed) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: Number(seed) });
