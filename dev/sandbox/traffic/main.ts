import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { readArgumentsOrExit, readCommandLine } from '#shared/command-line.ts'
import { createProgress } from '../../progress.ts'
import { readIssuerKey } from '../issuer-key.ts'
import { createTokenMinter } from '../mint-token.ts'
import { createTally } from './tally.ts'
import { createClient, visit } from './visit.ts'

const command = {
  name: 'traffic',
  does: 'Sends requests from many accounts to the gateway that npm start runs, and reports the responses.',
  example: '--seconds 600',
  flags: {
    accounts: {
      type: 'string',
      takes: 'COUNT',
      means: 'how many accounts send requests; default: 200',
      default: '200',
    },
    rate: { type: 'string', takes: 'COUNT', means: 'requests per second; default: 50', default: '50' },
    seconds: { type: 'string', takes: 'COUNT', means: 'for how many seconds; default: 60', default: '60' },
    url: {
      type: 'string',
      takes: 'URL',
      means: "another gateway, which must accept the sandbox's tokens",
    },
    'state-dir': {
      type: 'string',
      takes: 'FOLDER',
      means: 'the state folder of npm start; default: .data',
      default: resolve(import.meta.dirname, '../../..', '.data'),
    },
  },
} as const

const readCount = (name: string, text = '') => {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1 || count > 1_000_000)
    throw new Error(`--${name} is not a whole number from 1 to 1,000,000: ${text}`)
  return count
}

const readFlags = (args: readonly string[]) => {
  const { values } = readCommandLine(command, args)
  if (values.url !== undefined && !URL.canParse(values.url))
    throw new Error(`--url is not a URL: ${values.url}`)
  return {
    accounts: readCount('accounts', values.accounts),
    rate: readCount('rate', values.rate),
    seconds: readCount('seconds', values.seconds),
    url: values.url,
    stateDir: values['state-dir'] ?? '',
  }
}

const Installation = z.object({ service: z.string().nullable() })

/** Returns the base URL of the gateway that `npm start` runs in this folder, or else that of `npm run serve`. */
const findBaseUrl = async (stateDir: string) => {
  const text = await readFile(join(stateDir, 'admin.json'), 'utf8').catch(() => '{}')
  const { data } = Installation.safeParse(JSON.parse(text))
  return data?.service ?? `http://127.0.0.1:${process.env.PORT || 8787}`
}

const connectTimeoutMs = 10_000

const responds = (baseUrl: string) =>
  fetch(`${baseUrl}/healthz`, { signal: AbortSignal.timeout(connectTimeoutMs) }).then(
    async (response) => {
      await response.body?.cancel()
      return true
    },
    () => false,
  )

const findGateway = async (url: string | undefined, stateDir: string) => {
  const baseUrl = (url ?? (await findBaseUrl(stateDir))).replace(/\/+$/, '')
  if (await responds(baseUrl)) return baseUrl
  throw new Error(
    url === undefined
      ? `npm start is not running in this folder: nothing responds at ${baseUrl}. Run npm start in another terminal, then run this command again, or name another gateway with --url.`
      : `nothing responds at ${baseUrl}: check --url.`,
  )
}

/** Lets one request start per interval, in the order of the calls. */
const createRateLimiter = (intervalMs: number) => {
  let nextAt = performance.now()
  return () => {
    const now = performance.now()
    const delayMs = Math.max(0, nextAt - now)
    nextAt = now + delayMs + intervalMs
    return sleep(delayMs)
  }
}

const updateIntervalMs = 500
// Enough visits to reach the rate with some reserve, but no more, because visits in progress are completed even when
// time is up. Each visit has about 20 requests.
const countConcurrentVisits = (accounts: number, rate: number) => Math.min(accounts, Math.ceil(rate / 5))

const generate = async ({ accounts, rate, seconds, url, stateDir }: ReturnType<typeof readFlags>) => {
  const baseUrl = await findGateway(url, stateDir)
  const mintToken = createTokenMinter(await readIssuerKey(stateDir))
  const progress = createProgress(process.stderr)
  progress.print(
    `Sending ${rate} requests per second to ${baseUrl} for ${seconds} s. Ctrl-C stops it sooner.`,
  )
  const tally = createTally()
  const keepRate = createRateLimiter(1000 / rate)
  const endsAt = performance.now() + 1000 * seconds
  let isInterrupted = false
  process.once('SIGINT', () => {
    isInterrupted = true
  })
  // A visit removes all of its account's tracks, so an account must not have two visits at once.
  const idleAccounts = Array.from({ length: accounts }, (_, number) => `acct_traffic_${number}`)
  const visitRepeatedly = async () => {
    while (performance.now() < endsAt && !isInterrupted) {
      const account = idleAccounts.shift()
      if (account === undefined) return
      await visit(createClient({ baseUrl, token: await mintToken(account), tally, keepRate }))
      idleAccounts.push(account)
    }
  }
  const updates = setInterval(() => progress.update('Traffic', tally.summarize()), updateIntervalMs)
  const visits = Array.from({ length: countConcurrentVisits(accounts, rate) }, visitRepeatedly)
  await progress.follow('Traffic', Promise.all(visits))
  clearInterval(updates)
  return tally.format()
}

const flags = readArgumentsOrExit(command.name, readFlags, 1)
try {
  process.stdout.write(`${await generate(flags)}\n`)
} catch (error) {
  process.stderr.write(`traffic: ${error instanceof Error ? error.message : error}\n`)
  process.exitCode = 1
}
