// How useful a lesson is: as sure as its writer was at first, then as often as it helped.
import { usefulness } from './constants.ts';

interface Lesson {
  /** 0 to 1. */
  confidence: number;
  helpedCount: number;
  hurtCount: number;
}

/**
 * 0 to 1: the mean of a beta distribution that begins at the confidence. One run moves it a little, ten runs decide it.
 */
export const usefulnessOf = ({ confidence, helpedCount, hurtCount }: Lesson): number =>
  (confidence * usefulness.prior + helpedCount) / (usefulness.prior + helpedCount + hurtCount);

/** What a match is multiplied by: half for a useless one, one and a half for one that always helps. */
export const usefulnessFactor = (value: number): number => 0.5 + value;
