import { type Difference, isSevere } from '#migration/diff/verdict.ts'
import type { Comparison } from '#migration/parity/report/parity-run.ts'
import type { Scenario } from '#migration/parity/run/scenario.ts'
import type { AttributedMutant } from './coverage.ts'
import type { MutantResult } from './results.ts'

// After a fallback, both responses come from the core, so the report calls them not comparable.
const isFallback = ({ path, blame }: Difference) =>
  path.endsWith('headers.x-service-core-runtime') && blame === 'native'

const isReported = (difference: Difference) => isSevere(difference) || isFallback(difference)

const isRegression = ({ differences }: Comparison) => differences.some(isReported)

const isFailure = ({ native, differences }: Comparison) =>
  (native !== null && native >= 500) || differences.some(isFallback)

const isSuccess = ({ core }: Comparison) => core !== null && core < 300

interface Measurement {
  readonly mutant: AttributedMutant
  readonly scenarios: readonly Scenario[]
  /**
   * Whether some of the routes' successful scenarios never reach the mutant. If so, it cannot make all of them fail.
   */
  readonly sparesSuccesses: boolean
  readonly run: (scenarios: readonly Scenario[]) => Promise<readonly Comparison[]>
}

const chunkSize = 3
/** Each request of a mutant that never responds takes ten seconds, and there may be hundreds of them. */
const maxFailingMs = 60_000

/**
 * Runs scenarios until one of the mutant's routes has a regression. A native failure where the core succeeds counts as
 * a regression only if native succeeds in another scenario within a minute. Resolves to `no response` if this or another
 * active mutant has stopped the process.
 */
export const measureMutant = async ({
  mutant,
  scenarios,
  sparesSuccesses,
  run,
}: Measurement): Promise<Omit<MutantResult, 'id' | 'tried'> | 'no response'> => {
  const labels = new Set(mutant.labels)
  let failure: Comparison | undefined
  let hasSuccess = sparesSuccesses
  const startedAt = performance.now()
  for (let from = 0; from < scenarios.length; from += chunkSize) {
    const all = await run(scenarios.slice(from, from + chunkSize))
    if (all.some((each) => each.class === 'failed')) return 'no response'
    const comparisons = all.filter(({ label }) => labels.has(label))
    const regressions = comparisons.filter(isRegression)
    hasSuccess ||= comparisons.some((each) => isSuccess(each) && !(isRegression(each) && isFailure(each)))
    failure ??= regressions.find(isFailure)
    const found =
      regressions.find((each) => !isFailure(each) || !isSuccess(each)) ?? (hasSuccess ? failure : undefined)
    if (found) return { outcome: 'killed', ...describe(found) }
    if (failure && performance.now() - startedAt > maxFailingMs) break
  }
  return failure ? { outcome: 'crashed', ...describe(failure) } : { outcome: 'survived' }
}

const describe = ({ label, scenario, differences }: Comparison) => {
  const difference = differences.find(isReported)
  return { scenario: `${label}: ${scenario}`, difference: difference?.path ?? '' }
}
