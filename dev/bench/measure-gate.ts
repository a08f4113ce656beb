import {
  type AccountSample,
  addAccount,
  estimateAccounts,
  mergeAccountSamples,
} from '#migration/model/gate/account-sample.ts'
import { createEvidenceSet, extendEvidenceSet } from '#migration/model/gate/evidence-set.ts'
import { defaultGateLimits } from '#migration/model/gate/gate-input.ts'
import { hasPassed } from '#migration/model/gate/sequential-test.ts'
import { simulateQuietRoutes } from '#test/migration/model/gate/simulate-quiet-route.ts'
import { createRandom } from '#test/support/random.ts'
import { table } from './tables.ts'

const pollers = 10

/** How votes are distributed over accounts. Each function returns the weight of the account with this index. */
const trafficModels = {
  'all alike': () => 1,
  'the busiest 10 have 90 %': (index: number, accounts: number) =>
    index < pollers ? (9 * (accounts - pollers)) / pollers : 1,
  'the busiest 10 have 99 %': (index: number, accounts: number) =>
    index < pollers ? (99 * (accounts - pollers)) / pollers : 1,
  Zipf: (index: number) => 1 / (index + 1),
  'one after the other, 33 votes each': () => 1,
} as const

/** With this many votes each, 20 accounts reach the smallest number of votes that can pass. */
const votesPerSession = 33

interface Simulated {
  readonly traffic: keyof typeof trafficModels
  readonly accounts: number
  /** The probability that native is wrong for an account. It is then wrong in all of the account's responses. */
  readonly brokenFraction: number
  readonly minAccounts: readonly number[]
  readonly runs: number
}

/** A route that needs more votes than this counts as blocked. */
const maxVotes = 100_000

const createDraws = ({ traffic, accounts }: Simulated) => {
  const ends = new Float64Array(accounts)
  let total = 0
  for (let index = 0; index < accounts; index += 1) {
    total += trafficModels[traffic](index, accounts)
    ends[index] = total
  }
  const drawByWeight = (random: number) => {
    const wanted = random * total
    let [low, high] = [0, accounts - 1]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((ends[middle] ?? 0) > wanted) high = middle
      else low = middle + 1
    }
    return low
  }
  if (traffic !== 'one after the other, 33 votes each') return drawByWeight
  return (_: number, vote: number) => Math.floor(vote / votesPerSession) % accounts
}

type Draw = ReturnType<typeof createDraws>

const createHash = (random: () => number) => {
  const digits = () => Math.floor(random() * 2 ** 32).toString(16)
  return digits().padStart(8, '0') + digits().padStart(8, '0')
}

/** With more accounts than this, the gate never waits for all of them. */
const fewAccounts = 600

const drawBroken = ({ accounts, brokenFraction }: Simulated, random: () => number) => {
  const broken = Array.from({ length: accounts }, () => random() < brokenFraction)
  // A route that is right for all accounts may pass, so at least one account has to be broken.
  if (!broken.includes(true)) broken[Math.floor(random() * accounts)] = true
  return broken
}

/** Returns the values of `minAccounts` that let a route pass although native serves it wrongly to some accounts. */
const simulateRoute = (simulated: Simulated, draw: Draw, seed: number) => {
  const random = createRandom(seed)
  const { test } = defaultGateLimits
  const broken = drawBroken(simulated, random)
  const hashes: string[] = []
  const hashOf = (account: number) => {
    const hash = hashes[account] ?? createHash(random)
    hashes[account] = hash
    return hash
  }
  const active =
    simulated.accounts > fewAccounts
      ? Number.POSITIVE_INFINITY
      : estimateAccounts(mergeAccountSamples([broken.map((_, account) => hashOf(account))]))
  const passed = new Set<number>()
  const seen = new Set<number>()
  let set = createEvidenceSet()
  let sample: AccountSample = []
  let compared = 0
  for (let vote = 0; vote < maxVotes && passed.size < simulated.minAccounts.length; vote += 1) {
    const account = draw(random(), vote)
    if (!seen.has(account)) {
      seen.add(account)
      sample = addAccount(sample, hashOf(account))
      compared = estimateAccounts(sample)
    }
    const added = { comparisons: 1, regressions: broken[account] ? 1 : 0, critical: 0 }
    set = extendEvidenceSet(set, added, test, 0)
    // Both a failed test and an alarm are final.
    if (set.test.hasFailed || set.alarm !== null) break
    if (!hasPassed(set.test, test)) continue
    for (const min of simulated.minAccounts) if (compared >= Math.min(min, active)) passed.add(min)
  }
  return passed
}

export const simulateClusteredFaults = (simulated: Simulated): ReadonlyMap<number, number> => {
  const draw = createDraws(simulated)
  const passed = new Map(simulated.minAccounts.map((min) => [min, 0]))
  for (let seed = 1; seed <= simulated.runs; seed += 1)
    for (const min of simulateRoute(simulated, draw, seed)) passed.set(min, (passed.get(min) ?? 0) + 1)
  return passed
}

const minAccounts = [20, 40, 64, 200]
const brokenFractions = [0.01, 0.02, 0.05]
const populations = [30, 300]
const runs = 2000

const formatPercent = (fraction: number) => `${Number((fraction * 100).toFixed(1))} %`

const measureClusteredFaults = () => {
  const rows = populations.flatMap((accounts) =>
    (Object.keys(trafficModels) as (keyof typeof trafficModels)[]).flatMap((traffic) =>
      brokenFractions.map((brokenFraction) => {
        const passed = simulateClusteredFaults({ traffic, accounts, brokenFraction, minAccounts, runs })
        return [
          `${accounts} accounts, ${traffic}`,
          formatPercent(brokenFraction),
          ...minAccounts.map((min) => formatPercent((passed.get(min) ?? 0) / runs)),
        ]
      }),
    ),
  )
  return table(['traffic', 'accounts broken', ...minAccounts.map((min) => `passed with ${min}`)], rows)
}

const quietDays = 60
const quietRates = [2, 10, 40]
const wrongFractions = [0, 0.001, 0.01, 0.1, 1]

const measureQuietRoutes = () => {
  const rows = quietRates.flatMap((requestsPerDay) =>
    wrongFractions.map((wrongFraction) => {
      const { canary, native } = simulateQuietRoutes({ requestsPerDay, wrongFraction, days: quietDays }, runs)
      return [
        String(requestsPerDay),
        formatPercent(wrongFraction),
        formatPercent(canary.length / runs),
        formatPercent(native.length / runs),
        native.length === 0 ? '' : String(native[native.length >> 1]),
        String(native.at(-1) ?? ''),
      ]
    }),
  )
  const columns = ['began a canary', 'reached all', 'days until all: median', 'slowest']
  return table(['requests a day', 'wrong', ...columns], rows)
}

export const measureGate = async (): Promise<string> =>
  `${measureClusteredFaults()}\n\n${measureQuietRoutes()}`
