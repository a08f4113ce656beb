import {
  type AccountSample,
  estimateAccounts,
  hashAccount,
  mergeAccountSamples,
} from '../migration/routing/gate/account-sample.ts'
import { ComparisonFilter } from '../migration/routing/gate/comparison-filter.ts'
import { evaluateGate } from '../migration/routing/gate/evaluate-gate.ts'
import { createGateInput, stateOf } from '../test/migration/routing/gate/gate-inputs.ts'
import { compareUntilAlarm, simulatePromotions } from '../test/migration/routing/gate/simulate-gate.ts'
import { simulate } from '../test/migration/routing/stop/simulate.ts'

// Prints the figures of bench/results/evidence.md about promotion: node --expose-gc bench/measure-gate.ts

const print = (line: string) => process.stdout.write(`${line}\n`)
const formatPercent = (share: number) => `${Number((share * 100).toFixed(2))} %`

const runs = 4000

const countAt = (sorted: readonly number[], share: number) => sorted[Math.floor(sorted.length * share)]

const printPromotions = (rate: number, batch: number) => {
  const { passed, comparisons } = simulatePromotions(runs, rate, batch)
  print(
    `| ${formatPercent(rate)} | ${batch} | ${formatPercent(passed / runs)} | ${countAt(comparisons, 0.5)} | ${countAt(comparisons, 0.95)} |`,
  )
}

print('| wrong | comparisons per evaluation | passed | until decided: median | 95 of 100 runs |')
print('| ---: | ---: | ---: | ---: | ---: |')
for (const rate of [0, 0.0005, 0.001, 0.002, 0.005, 0.006, 0.01, 0.1, 1]) printPromotions(rate, 1)
for (const batch of [25, 250]) for (const rate of [0.0005, 0.005]) printPromotions(rate, batch)

print('\n| wrong | until the stop: median | 95 of 100 runs |')
print('| ---: | ---: | ---: |')
for (const rate of [1, 0.1, 0.01]) {
  const counts = simulate(1001, (random) => compareUntilAlarm(random, rate))
  print(`| ${formatPercent(rate)} | ${countAt(counts, 0.5)} | ${countAt(counts, 0.95)} |`)
}

const estimateErrors = (accounts: number) =>
  Array.from({ length: 200 }, (_, secret) => {
    const hashes = Array.from({ length: accounts }, (_, id) => hashAccount(`secret ${secret}`, `acct_${id}`))
    const sample: AccountSample = mergeAccountSamples([hashes])
    return Math.abs(estimateAccounts(sample) - accounts) / accounts
  }).sort((a, b) => a - b)

for (const accounts of [63, 200, 1000]) {
  const errors = estimateErrors(accounts)
  print(
    `error of the estimate of ${accounts} accounts: median ${formatPercent(countAt(errors, 0.5) ?? 0)}, 95 of 100 ${formatPercent(countAt(errors, 0.95) ?? 0)}`,
  )
}

const heapAfterCollection = () => {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}

const perCall = (calls: number, work: (index: number) => void) => {
  const startedAt = process.cpuUsage().user
  for (let index = 0; index < calls; index += 1) work(index)
  return `${((process.cpuUsage().user - startedAt) / calls).toFixed(1)} µs`
}

const clock = { now: 0 }
const filters = Array.from(
  { length: 50 },
  (_, index) => new ComparisonFilter({ secret: `secret ${index}`, now: () => clock.now }),
)
filters[0]?.count('warm', '/v1/tracks')
const heapBefore = heapAfterCollection()
for (const filter of filters)
  for (let id = 0; id < 2000; id += 1) filter.count(`token ${id}`, `/v1/tracks/${id}`)
print(
  `a full comparison filter: ${((heapAfterCollection() - heapBefore) / filters.length / 1024).toFixed(0)} KiB`,
)

const [filter] = filters
const input = createGateInput(stateOf('tracks.list'))
for (let round = 0; round < 3; round += 1) {
  const counting = perCall(100_000, (index) => {
    clock.now += 100
    filter?.count(`token ${index}`, '/v1/tracks')
  })
  print(`count ${counting}, evaluateGate ${perCall(20_000, () => evaluateGate(input))}`)
}
