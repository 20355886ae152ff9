// Usefulness of a lesson: at first its writer's confidence, then how often it helped.
import { usefulness } from './constants.ts';

interface Lesson {
  /** Confidence, 0 to 1. */
  confidence: number;
  helpedCount: number;
  hurtCount: number;
}

/**
 * Usefulness, 0 to 1: the mean of a beta distribution that starts at the confidence. One run moves it a little, ten
 * decide.
 */
export const usefulnessOf = ({ confidence, helpedCount, hurtCount }: Lesson): number =>
  (confidence * usefulness.prior + helpedCount) / (usefulness.prior + helpedCount + hurtCount);

/** Factor of a match: a half for a useless lesson, one and a half for one that always helps. */
export const usefulnessFactor = (value: number): number => 0.5 + value;
