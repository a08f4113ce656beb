import { createMismatchParameters, observeComparisons } from '#migration/model/gate/evidence-set.ts'
import {
  addComparisons,
  createSequentialTestState,
  hasPassed,
  sequentialTest as test,
} from '#migration/model/gate/sequential-test.ts'
import { createCusumStream } from '#migration/model/stop/cusum.ts'
import { simulate } from '../stop/simulate.ts'

/**
 * Compares responses until the test has decided, and evaluates the test after each batch. The fraction `rate` of the
 * responses is wrong.
 */
const compareUntilDecided = (random: () => number, rate: number, batch = 1) => {
  let state = createSequentialTestState()
  while (!state.hasFailed && !hasPassed(state, test)) {
    let regressions = 0
    for (let compared = 0; compared < batch; compared += 1) if (random() < rate) regressions += 1
    state = addComparisons(state, test, batch, regressions)
  }
  return { passed: !state.hasFailed, comparisons: state.comparisons }
}

/**
 * Counts how many routes pass if the fraction `rate` of their responses is wrong. Also returns how many comparisons
 * each decision took, in ascending order. Each route has a fixed seed.
 */
export const simulatePromotions = (runs: number, rate: number, batch = 1) => {
  let passed = 0
  const comparisons = simulate(runs, (random) => {
    const decided = compareUntilDecided(random, rate, batch)
    if (decided.passed) passed += 1
    return decided.comparisons
  })
  return { runs, passed, comparisons }
}

const mismatchParameters = createMismatchParameters()

/**
 * Counts the comparisons until an alarm is raised if the fraction `rate` of the responses is wrong. `draw` selects the
 * verdict on each wrong response.
 */
export const compareUntilAlarm = (
  random: () => number,
  rate: number,
  draw: (random: () => number) => 'regression' | 'critical' = () => 'regression',
) => {
  const stream = createCusumStream()
  for (let count = 1; ; count += 1) {
    const verdict = random() < rate ? draw(random) : 'equal'
    const compared = {
      comparisons: 1,
      regressions: verdict === 'equal' ? 0 : 1,
      critical: verdict === 'critical' ? 1 : 0,
    }
    if (observeComparisons(stream, mismatchParameters, compared) !== null) return count
  }
}
