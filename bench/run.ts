import { parseArgs } from 'node:util'
import { loadGenerator } from './load.ts'
import { describeMachine, leaveMeasuredCore } from './machine.ts'
import { measureAbuse } from './measure-abuse.ts'
import { measureNative } from './measure-native.ts'
import { measureProxies } from './measure-proxies.ts'
import { measurePublicReads } from './measure-public-reads.ts'
import { measureTokenTiming } from './measure-token-timing.ts'
import { measureWebhookStorm } from './measure-webhook-storm.ts'
import { measureWebhooks } from './measure-webhooks.ts'
import { openBench } from './surroundings.ts'

const measurements = {
  proxy: measureProxies,
  native: measureNative,
  abuse: measureAbuse,
  'public-read': measurePublicReads,
  'token-timing': measureTokenTiming,
  webhooks: measureWebhooks,
  'webhook-storm': measureWebhookStorm,
}
const usage = `npm run bench -- ${Object.keys(measurements).join(' | ')} [--rounds 5] [--seconds 4] [--profile FOLDER]`

const chosen = () => {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '4' },
      profile: { type: 'string' },
    },
  })
  const [name = ''] = positionals
  const measure = Object.entries(measurements).find(([known]) => known === name)?.[1]
  const rounds = Number(values.rounds)
  const seconds = Number(values.seconds)
  const isCount = (count: number) => Number.isInteger(count) && count > 0
  if (!measure || !isCount(rounds) || !isCount(seconds)) throw new Error(usage)
  return { measure, options: { rounds, seconds, profileFolder: values.profile } }
}

const run = async () => {
  const { measure, options } = chosen()
  leaveMeasuredCore()
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
