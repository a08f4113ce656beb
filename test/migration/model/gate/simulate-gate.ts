import { createMismatchParameters, observeComparisons } from '#migration/model/gate/mismatch-stop.ts'
import {
  addComparisons,
  createSequentialTest,
  createSequentialTestState,
  hasPassed,
} from '#migration/model/gate/sequential-test.ts'
import { createCusumStream } from '#migration/model/stop/cusum.ts'
import { simulate } from '../stop/simulate.ts'

const test = createSequentialTest()

/** Compares responses of which `rate` are wrong until the test has decided, and evaluates it after each batch. */
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
 * How many of the routes of which `rate` of the responses are wrong pass, with a fixed seed for each, and after how many
 * comparisons they were decided, the smallest number first.
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
 * How many comparisons it takes until the comparisons of a route of which `rate` are wrong raise an alarm. `draw` selects
 * what a wrong one is.
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
