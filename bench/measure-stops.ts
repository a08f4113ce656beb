import {
  createCusumParameters,
  createCusumStream,
  observe,
  type Rates,
  thresholdFor,
} from '../migration/routing/stop/cusum.ts'
import { unmeasuredDatabase } from '../migration/routing/stop/database-health.ts'
import { createRequestTally } from '../migration/routing/stop/request-counts.ts'
import { RouteMonitor } from '../migration/routing/stop/route-monitor.ts'
import { errorRatesFor, slowRates } from '../migration/routing/stop/stop-rates.ts'
import {
  countUntilAlarm,
  createFull,
  createMonitor,
  type Simulation,
} from '../test/migration/routing/stop/simulate.ts'
import { createRandom } from '../test/support/random.ts'

// Prints the figures of bench/results/routing.md about automatic stops: npx node bench/measure-stops.ts

const print = (line: string) => process.stdout.write(`${line}\n`)

const random = createRandom(1)
const runs = 1001
const observations = 86_400_000
const recordings = 3_000_000

const streams = { errors: errorRatesFor(0) ?? { good: 0.001, bad: 0.02 }, slow: slowRates }

const countFalseAlarms = (rates: Rates, threshold: number, rate: number) => {
  const parameters = createCusumParameters(rates, threshold)
  let stream = createCusumStream()
  let alarms = 0
  for (let observed = 0; observed < observations; observed += 1) {
    if (!observe(stream, parameters, 1, random() < rate ? 1 : 0)) continue
    alarms += 1
    stream = createCusumStream()
  }
  return alarms
}

const countUntilThreshold = (rates: Rates, threshold: number, rate: number) => {
  const parameters = createCusumParameters(rates, threshold)
  const stream = createCusumStream()
  let observed = 1
  while (!observe(stream, parameters, 1, random() < rate ? 1 : 0)) observed += 1
  return observed
}

const measureRuns = (run: () => number) => {
  const counts = Array.from({ length: runs }, run).sort((a, b) => a - b)
  return JSON.stringify({ median: counts[Math.floor(runs / 2)], of95: counts[Math.floor(runs * 0.95)] })
}

for (const threshold of [thresholdFor(0), thresholdFor(observations)]) {
  print(`threshold ${threshold.toFixed(1)}`)
  for (const [name, rates] of Object.entries(streams)) {
    print(
      `  ${name}, false alarms per ${observations} at the good rate: ${countFalseAlarms(rates, threshold, rates.good)}`,
    )
    const cases = name === 'errors' ? [1, 0.1, 0.05] : [1, 0.3, 0.2]
    for (const rate of cases)
      print(`  ${name} ${rate * 100} %: ${measureRuns(() => countUntilThreshold(rates, threshold, rate))}`)
  }
}

const monitored: readonly (readonly [string, () => Simulation, 0 | 1])[] = [
  ['canary', () => createMonitor(), 1],
  ['native alone', createFull, 0],
]
for (const [name, create, core] of monitored)
  for (const observed of [{ errors: 1 }, { errors: 0.05 }, { slow: 1 }, { slow: 0.3 }])
    print(
      `${name}, ${JSON.stringify(observed)}: ${measureRuns(() => countUntilAlarm(create(), random, { core, ...observed }))}`,
    )

const monitor = new RouteMonitor({ version: 1, epoch: 1, nativeShare: 'some' }, createRequestTally(), {
  now: Date.now,
  health: unmeasuredDatabase,
})
for (let count = 0; count < 5000; count += 1) monitor.recordCore(false, 10, 1)
for (let round = 0; round < 3; round += 1) {
  const startedAt = process.cpuUsage().user
  for (let count = 0; count < recordings; count += 1) monitor.recordNative(false, false, 8 + (count & 7), 1)
  const nativeUs = process.cpuUsage().user - startedAt
  for (let count = 0; count < recordings; count += 1) monitor.recordCore(false, 8 + (count & 7), 1)
  const coreUs = process.cpuUsage().user - startedAt - nativeUs
  const perRecording = (us: number) => `${((us * 1e3) / recordings).toFixed(0)} ns`
  print(`recordNative ${perRecording(nativeUs)}, recordCore ${perRecording(coreUs)}`)
}
