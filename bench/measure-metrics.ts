import { setTimeout as sleep } from 'node:timers/promises'
import pino from 'pino'
import { Histogram } from 'prom-client'
import { labels } from '#contracts/shared/row.ts'
import { createPinoLog } from '#gateway/adapters/log-pino/log-pino.ts'
import { createPromRegistry } from '#gateway/adapters/metrics-prom-client.ts'
import { logRequest } from '#gateway/observability/log.ts'
import { createMetrics } from '#gateway/observability/metrics.ts'
import { createAccountNames } from '#gateway/ports/account-names.ts'
import { createInitialOutcome } from '#gateway/request/context.ts'
import { startRequestTrace } from '#gateway/request/trace/request-trace.ts'
import { createRandomHex } from '#shared/random-ids.ts'
import { runInTrace, type Trace, traceIdOf } from '#shared/tracing/trace.ts'
import { intervalOfMedian, median } from './statistics.ts'
import { table } from './tables.ts'

// What metrics, the log and traces that are not recorded cost: CPU time of this process, which writes its log to standard output and its table to
// standard error: `taskset -c 1 node bench/measure-metrics.ts > /dev/null`.
const rounds = 31
const calls = 50_000
const idleMs = 2000
const idleRounds = 5

const readCpuUs = () => {
  const { user, system } = process.cpuUsage()
  return user + system
}

const measureNs = async (work: (call: number) => unknown) => {
  const before = readCpuUs()
  for (let call = 0; call < calls; call += 1) {
    const result = work(call)
    if (result instanceof Promise) await result
  }
  return ((readCpuUs() - before) * 1000) / calls
}

const outcomes = labels.map((label) => createInitialOutcome({ kind: 'row', label, params: {} }))
const outcomeOf = (call: number) =>
  outcomes[call % outcomes.length] ?? createInitialOutcome({ kind: 'no-row', nativeOnly: false })
const metrics = createMetrics()
const histogram = new Histogram({
  name: 'measured_seconds',
  help: 'The histogram of prom-client.',
  labelNames: ['route', 'runtime', 'fallback', 'reason', 'status'],
  buckets: [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  registers: [],
})
// First, before there is anything to write or to collect.
const measureIdleMs = async () => {
  const samples: number[] = []
  // The first one is that of the start or of what has just been opened.
  for (let round = 0; round <= idleRounds; round += 1) {
    const before = readCpuUs()
    await sleep(idleMs)
    samples.push((readCpuUs() - before) / idleMs)
  }
  const [, ...measured] = samples
  return measured
}
const describeIdle = (samples: readonly number[]) =>
  `${median(samples).toFixed(1)} ms (${Math.min(...samples).toFixed(1)} to ${Math.max(...samples).toFixed(1)})`
const idleBefore = await measureIdleMs()
const registry = createPromRegistry()
registry.register(metrics.families)
const idleAfter = await measureIdleMs()

const base = { instance: crypto.randomUUID(), version: '0.1.0' }
const ownLog = createPinoLog('info', base)
const standardLog = pino(
  { base, timestamp: pino.stdTimeFunctions.isoTime, formatters: { level: (level) => ({ level }) } },
  pino.destination({ dest: 1, sync: false, minLength: 4096 }),
)
const nameAccount = createAccountNames({
  LOG_ACCOUNTS: 'hashed',
  GATEWAY_SECRET: 'secret-of-the-measurement',
})

const requestId = '0199c1f0-3c5e-7d4a-9a51-6a1f2c3d4e5f'
const account = 'k3J9xQ2mZ7aB1cDe'
const logOwnLine = (call: number, trace: Trace) =>
  logRequest(ownLog, { requestId, trace, method: 'GET', outcome: outcomeOf(call) }, 200, 1.25, account)
const createFields = (call: number) => {
  const { label: route, runtime, reason } = outcomeOf(call)
  return { requestId, traceId, method: 'GET', route, runtime, reason, status: 200, account, durationMs: 1.25 }
}

const unmatched = { kind: 'no-row', nativeOnly: false } as const
// In one piece, as a parser of HTTP creates them.
const createHeader = (value: string) => Buffer.from(value, 'latin1').toString('latin1')
const createRequest = (headers: Readonly<Record<string, string>>) => ({
  method: 'GET',
  header: (name: string) => headers[name],
})
const ownRequest = createRequest({})
// Different ones, as those of clients are: the CPU learns the branches of a repeated one.
const clientRequests = Array.from({ length: 1000 }, () => {
  const parentId = createRandomHex(8)
  return createRequest({
    traceparent: createHeader(`00-${createRandomHex(16)}-${parentId}-01`),
    tracestate: createHeader(`vendor=${parentId}`),
  })
})
const startOwnTrace = () => startRequestTrace(null, unmatched, ownRequest)
const continueTrace = (call: number) =>
  startRequestTrace(null, unmatched, clientRequests[call % clientRequests.length] ?? ownRequest)
const trace = startOwnTrace()
const traceId = traceIdOf(trace)
const awaitTenTimes = async () => {
  for (let count = 0; count < 10; count += 1) await null
}

const aLine = 'a line of a request'
const ownTrace = 'the trace of a request and a line with its id'
const clientTrace = "the trace of a request that continues its client's and a line with its id"

const measured: Readonly<Record<string, (call: number) => unknown>> = {
  'counting a request': (call) => {
    metrics.beginRequest()
    metrics.observe(outcomeOf(call), 200, 0.004)
    metrics.endRequest()
  },
  'counting a request with prom-client': (call) => {
    const { label: route, runtime, reason } = outcomeOf(call)
    histogram.observe({ route, runtime, fallback: '0', reason, status: '200' }, 0.004)
  },
  'naming the account of a request': (call) => void nameAccount(`acct_${call % 1000}`),
  [aLine]: (call) => logOwnLine(call, trace),
  [ownTrace]: (call) => logOwnLine(call, startOwnTrace()),
  [clientTrace]: (call) => logOwnLine(call, continueTrace(call)),
  'ten awaits': awaitTenTimes,
  'ten awaits in a trace': () => runInTrace(trace, awaitTenTimes),
  'a line of a request with pino': (call) => standardLog.info(createFields(call), 'request'),
}

const times = new Map(Object.keys(measured).map((name) => [name, [] as number[]]))
for (let round = 0; round < rounds; round += 1)
  for (const [name, work] of Object.entries(measured)) {
    times.get(name)?.push(await measureNs(work))
    // Lets both logs write what they have buffered.
    await sleep(20)
  }

const scrapes: number[] = []
for (let round = 0; round < rounds; round += 1) {
  const before = readCpuUs()
  await registry.format()
  scrapes.push((readCpuUs() - before) / 1000)
}

/** What a trace adds to a line: rounds are compared one by one, as other work on the machine slows some of them. */
const compareWithLine = (name: string) => {
  const ofLine = times.get(aLine) ?? []
  const differences = (times.get(name) ?? []).map((time, round) => time - (ofLine[round] ?? Number.NaN))
  const [low, high] = intervalOfMedian(differences).map(Math.round)
  return [`${name}, less the line`, `${Math.round(median(differences))} ns (${low} to ${high})`]
}

const rows = [...times].map(([name, of]) => [name, `${Math.round(median(of))} ns`])
process.stderr.write(
  table(
    ['measured', 'CPU time, median'],
    [
      ...rows,
      ...[ownTrace, clientTrace].map(compareWithLine),
      ['an idle second without metrics of the process', describeIdle(idleBefore)],
      ['an idle second with them', describeIdle(idleAfter)],
      [`a scrape with one series for each of ${labels.length} routes`, `${median(scrapes).toFixed(1)} ms`],
    ],
  ),
)
process.exit(0)
