import { readArgumentsOrExit, readCommandLine } from '#gateway/process/command-line.ts'
import { loadGenerator } from './load.ts'
import { describeMachine, moveToOtherCpus } from './machine.ts'
import { measureAbuse } from './measure-abuse.ts'
import { measureCatalogAnalysis } from './measure-catalog-analysis.ts'
import { measureConsole } from './measure-console.ts'
import { measureDownloads } from './measure-downloads.ts'
import { measureEngagement } from './measure-engagement.ts'
import { measureFleet } from './measure-fleet.ts'
import { measureIdleJobs } from './measure-idle-jobs.ts'
import { measureInstances } from './measure-instances.ts'
import { measureLimitStores } from './measure-limit-stores.ts'
import { measureMedia } from './measure-media.ts'
import { measureNative } from './measure-native.ts'
import { measurePrepare } from './measure-prepare.ts'
import { measureProcesses } from './measure-processes.ts'
import { measureProxies } from './measure-proxies.ts'
import { measurePublicReads } from './measure-public-reads.ts'
import { measureRouting } from './measure-routing.ts'
import { measureShadow } from './measure-shadow.ts'
import { measureStarts } from './measure-starts.ts'
import { measureTokenTiming } from './measure-token-timing.ts'
import { measureTraces } from './measure-traces.ts'
import { measureWebhookStorm } from './measure-webhook-storm.ts'
import { measureWebhooks } from './measure-webhooks.ts'
import { openBench } from './open-bench.ts'
import { installPeers } from './proxies.ts'

const measurements = {
  proxy: measureProxies,
  download: measureDownloads,
  native: measureNative,
  prepare: measurePrepare,
  processes: measureProcesses,
  media: measureMedia,
  abuse: measureAbuse,
  'public-read': measurePublicReads,
  routing: measureRouting,
  fleet: measureFleet,
  'catalog-analysis': measureCatalogAnalysis,
  console: measureConsole,
  'idle-jobs': measureIdleJobs,
  instances: measureInstances,
  'limit-stores': measureLimitStores,
  shadow: measureShadow,
  starts: measureStarts,
  'token-timing': measureTokenTiming,
  traces: measureTraces,
  webhooks: measureWebhooks,
  'webhook-storm': measureWebhookStorm,
  engagement: measureEngagement,
}
const command = {
  name: 'bench',
  operand: { takes: 'MEASUREMENT', means: Object.keys(measurements).join(', ') },
  flags: {
    rounds: { type: 'string', takes: 'COUNT', means: 'the number of rounds; 5', default: '5' },
    seconds: { type: 'string', takes: 'COUNT', means: 'the length of each measurement; 4', default: '4' },
    profile: { type: 'string', takes: 'FOLDER', means: 'writes a CPU profile of the gateway there' },
    peers: {
      type: 'string',
      multiple: true,
      takes: 'NAME',
      means: 'measures only these beside the gateway; repeatable',
    },
    connections: {
      type: 'string',
      multiple: true,
      takes: 'COUNT',
      means: 'measures forwarding only with these; repeatable',
    },
    rows: { type: 'string', takes: 'COUNT', means: 'engagement events; 1000000', default: '1000000' },
    database: { type: 'string', takes: 'FOLDER', means: 'keeps the engagement events there' },
    part: { type: 'string', takes: 'NAME', means: 'engagement: load, inserts, reports or retention; all' },
  },
} as const

const parseArguments = (args: readonly string[]) => {
  const { values, operands, usage } = readCommandLine(command, args)
  const [name = ''] = operands
  const measure = Object.entries(measurements).find(([known]) => known === name)?.[1]
  const rounds = Number(values.rounds)
  const seconds = Number(values.seconds)
  const rows = Number(values.rows)
  const connections = values.connections?.map(Number)
  const isCount = (count: number) => Number.isInteger(count) && count > 0
  if (!measure) throw new Error(`unknown measurement\n${usage}`)
  if (![rounds, seconds, rows, ...(connections ?? [])].every(isCount))
    throw new Error(`counts must be positive integers\n${usage}`)
  const { profile: profileFolder, peers, database: databaseFolder, part } = values
  return {
    measure,
    options: { rounds, seconds, rows, profileFolder, peers, connections, databaseFolder, part },
  }
}

const run = async () => {
  const { measure, options } = readArgumentsOrExit('bench', parseArguments, 1)
  moveToOtherCpus()
  // autocannon is installed with the peers.
  if (loadGenerator === 'autocannon') installPeers()
  const bench = await openBench()
  const stop = () => bench.end().finally(() => process.exit(1))
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  try {
    const tables = await measure(bench, options)
    process.stdout.write(`${describeMachine()}; load by ${loadGenerator}\n\n${tables}\n`)
  } finally {
    await bench.end()
  }
}

await run().catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})
