import * as z from 'zod'

/** The regression rates that the test tells apart. A route with the good rate passes; one with the bad rate fails. */
const rates = { good: 0.0005, bad: 0.005 }

/** The test decides once one rate is 20 times as likely as the other, so it errs in at most 5 % of cases. */
const likelihoodRatio = 20

/** How much one comparison changes the score, and the score at which the test decides. */
export interface SequentialTest {
  readonly gain: number
  readonly loss: number
  readonly bound: number
}

const count = z.int().nonnegative()

export const SequentialTestState = z.object({
  /** Log-likelihood ratio of the good rate to the bad rate. */
  score: z.number(),
  comparisons: count,
  regressions: count,
  /** Once true, stays true until the code changes. */
  hasFailed: z.boolean(),
})
export type SequentialTestState = Readonly<z.infer<typeof SequentialTestState>>

/** Wald's sequential probability ratio test for a rate of regressions. */
export const sequentialTest: SequentialTest = {
  gain: Math.log((1 - rates.good) / (1 - rates.bad)),
  loss: Math.log(rates.bad / rates.good),
  bound: Math.log(likelihoodRatio),
}

export const createSequentialTestState = (): SequentialTestState => ({
  score: 0,
  comparisons: 0,
  regressions: 0,
  hasFailed: false,
})

/**
 * Adds independent comparisons. `regressions` of them had a confirmed regression. Only the resulting score is compared
 * with the bounds, so the order of the comparisons does not matter. The error probabilities hold for any number of
 * evaluations (Ville's inequality).
 */
export const addComparisons = (
  state: SequentialTestState,
  { gain, loss, bound }: SequentialTest,
  comparisons: number,
  regressions: number,
): SequentialTestState => {
  if (state.hasFailed) return state
  const score = state.score + (comparisons - regressions) * gain - regressions * loss
  return {
    score,
    comparisons: state.comparisons + comparisons,
    regressions: state.regressions + regressions,
    hasFailed: score <= -bound,
  }
}

/** Whether the test has passed. Later regressions may lower the score below the bound again. */
export const hasPassed = ({ score, hasFailed }: SequentialTestState, { bound }: SequentialTest) =>
  !hasFailed && score >= bound

/** Returns the position of the score between the bounds: -1 for failed, 0 for no evidence, 1 for passed. */
export const computeProgress = ({ score, hasFailed }: SequentialTestState, { bound }: SequentialTest) =>
  hasFailed ? -1 : Math.max(-1, Math.min(1, score / bound))

/** Returns how many more comparisons without a regression are needed to pass: 0 if passed, null if failed. */
export const countMissingComparisons = (state: SequentialTestState, { gain, bound }: SequentialTest) =>
  state.hasFailed ? null : Math.max(0, Math.ceil((bound - state.score) / gain))
