import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import * as z from 'zod'
import { readIssuerKey } from '../issuer-key.ts'
import { createTokenMinter } from '../mint-token.ts'
import { createClient } from './client.ts'
import { createTally } from './tally.ts'
import { visit } from './visit.ts'

const usage = 'npm run traffic -- [--accounts 200] [--rate 50] [--seconds 60] [--url URL]'

const Installation = z.object({ service: z.string().nullable() })

/** The gateway that `npm start` runs in this folder, else the address that `npm run serve` listens on. */
const findBaseUrl = async (stateDir: string) => {
  const text = await readFile(join(stateDir, 'admin.json'), 'utf8').catch(() => '{}')
  const { data } = Installation.safeParse(JSON.parse(text))
  return data?.service ?? `http://127.0.0.1:${process.env.PORT || 8787}`
}

const readCount = (name: string, text: string) => {
  const count = Number(text)
  if (!Number.isInteger(count) || count < 1 || count > 1_000_000)
    throw new Error(`--${name} is not a whole number from 1 to 1,000,000: ${text}`)
  return count
}

const readFlags = async (args: string[]) => {
  const { values } = parseArgs({
    args,
    options: {
      accounts: { type: 'string', default: '200' },
      rate: { type: 'string', default: '50' },
      seconds: { type: 'string', default: '60' },
      url: { type: 'string' },
      'state-dir': { type: 'string', default: resolve(import.meta.dirname, '../../..', '.data') },
      help: { type: 'boolean', default: false },
    },
  })
  const stateDir = values['state-dir']
  return {
    accounts: readCount('accounts', values.accounts),
    rate: readCount('rate', values.rate),
    seconds: readCount('seconds', values.seconds),
    baseUrl: (values.url ?? (await findBaseUrl(stateDir))).replace(/\/+$/, ''),
    stateDir,
    isHelp: values.help,
  }
}

/** Lets one request start in each interval, in the order of the calls. */
const createRateLimiter = (intervalMs: number) => {
  let nextAt = performance.now()
  return () => {
    const now = performance.now()
    const delayMs = Math.max(0, nextAt - now)
    nextAt = now + delayMs + intervalMs
    return sleep(delayMs)
  }
}

const reportIntervalMs = 5000
// As many as reach the rate with some reserve; each visit has about 20 requests, and the last ones are completed.
const countConcurrentVisits = (accounts: number, rate: number) => Math.min(accounts, Math.ceil(rate / 5))

const generate = async ({
  accounts,
  rate,
  seconds,
  baseUrl,
  stateDir,
}: Awaited<ReturnType<typeof readFlags>>) => {
  const mintToken = createTokenMinter(await readIssuerKey(stateDir))
  const tally = createTally()
  const keepRate = createRateLimiter(1000 / rate)
  const endsAt = performance.now() + 1000 * seconds
  let isInterrupted = false
  process.once('SIGINT', () => {
    isInterrupted = true
  })
  // A visit removes all tracks of its account, so no account has two visits at once.
  const idleAccounts = Array.from({ length: accounts }, (_, number) => `acct_traffic_${number}`)
  const visitRepeatedly = async () => {
    while (performance.now() < endsAt && !isInterrupted) {
      const account = idleAccounts.shift()
      if (account === undefined) return
      await visit(createClient({ baseUrl, token: await mintToken(account), tally, keepRate }))
      idleAccounts.push(account)
    }
  }
  const reporter = setInterval(() => process.stderr.write(`${tally.summarize()}\n`), reportIntervalMs)
  const concurrent = countConcurrentVisits(accounts, rate)
  await Promise.all(Array.from({ length: concurrent }, visitRepeatedly))
  clearInterval(reporter)
  return tally.format()
}

try {
  const flags = await readFlags(process.argv.slice(2))
  process.stdout.write(`${flags.isHelp ? `usage: ${usage}` : await generate(flags)}\n`)
} catch (error) {
  const [reason] = String(error instanceof Error ? error.message : error).split('\n')
  process.stderr.write(`traffic: ${reason} (usage: ${usage})\n`)
  process.exitCode = 1
}
