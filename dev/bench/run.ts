import { readArgumentsOrExit, readCommandLine } from '#shared/command-line.ts'
import { loadGenerator } from './load.ts'
import { describeMachine, moveToOtherCpus } from './machine.ts'
import { measureGate } from './measure-gate.ts'
import { measureLatency } from './measure-latency.ts'
import { measureMedia } from './measure-media.ts'
import { measureNative } from './measure-native.ts'
import { measureProxies } from './measure-proxies.ts'
import { measureRouting } from './measure-routing.ts'
import { measureShadow } from './measure-shadow.ts'
import { measureWebhooks } from './measure-webhooks.ts'
import { followMeasurement, openBench, progress } from './open-bench.ts'
import { installPeers } from './proxies.ts'

const measurements = {
  proxy: measureProxies,
  native: measureNative,
  latency: measureLatency,
  media: measureMedia,
  gate: measureGate,
  routing: measureRouting,
  shadow: measureShadow,
  webhooks: measureWebhooks,
}
const command = {
  name: 'bench',
  does: 'Measures the gateway and comparable proxies on this machine, and prints tables.',
  example: 'native --rounds 1',
  operand: { takes: 'MEASUREMENT', means: Object.keys(measurements).join(', ') },
  flags: {
    rounds: { type: 'string', takes: 'COUNT', means: 'the number of rounds; default: 5', default: '5' },
    seconds: {
      type: 'string',
      takes: 'COUNT',
      means: 'the length of each measurement; default: 4',
      default: '4',
    },
    profile: { type: 'string', takes: 'FOLDER', means: 'writes a CPU profile of the gateway to this folder' },
    peers: {
      type: 'string',
      multiple: true,
      takes: 'NAME',
      means: 'measures only this peer next to the gateway; repeatable',
    },
    connections: {
      type: 'string',
      multiple: true,
      takes: 'COUNT',
      means: 'limits the forwarding measurement to this number of connections; repeatable',
    },
  },
} as const

const parseArguments = (args: readonly string[]) => {
  const { values, operands, usage } = readCommandLine(command, args)
  const [name = ''] = operands
  const measure = Object.entries(measurements).find(([known]) => known === name)?.[1]
  const rounds = Number(values.rounds)
  const seconds = Number(values.seconds)
  const connections = values.connections?.map(Number)
  const isCount = (count: number) => Number.isInteger(count) && count > 0
  if (!measure) throw new Error(`unknown measurement\n${usage}`)
  if (![rounds, seconds, ...(connections ?? [])].every(isCount))
    throw new Error(`--rounds, --seconds and --connections must be positive integers\n${usage}`)
  const { profile: profileFolder, peers } = values
  return {
    measure,
    options: { rounds, seconds, profileFolder, peers, connections },
  }
}

const run = async () => {
  const { measure, options } = readArgumentsOrExit('bench', parseArguments, 1)
  moveToOtherCpus()
  // autocannon is installed with the peers.
  if (loadGenerator === 'autocannon') installPeers()
  const bench = await progress.follow('PostgreSQL and token issuer', openBench())
  const stop = () => {
    progress.end()
    void bench.end().finally(() => process.exit(1))
  }
  process.once('SIGINT', stop)
  process.once('SIGTERM', stop)
  try {
    const tables = await followMeasurement(measure(bench, options))
    process.stdout.write(`${describeMachine()}; load by ${loadGenerator}\n\n${tables}\n`)
  } finally {
    await bench.end()
  }
}

await run().catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exitCode = 1
})
