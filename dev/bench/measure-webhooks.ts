import { startGatewayProcess } from './gateway-process.ts'
import { cpuSecondsOf, measureInterleaved } from './measure.ts'
import type { Bench, BenchOptions } from './open-bench.ts'
import { median } from './statistics.ts'
import { rateCells, table, targetTable } from './tables.ts'
import {
  type BenchDelivery,
  billingSecret,
  createBillingDelivery,
  createEmailDelivery,
  createLinkDelivery,
  deliverEvents,
  emailSecret,
  fillDatabase,
  linksSecret,
  secretKey,
  startBillingProviderWithSubscriptions,
} from './webhook-events.ts'

const connections = 16
const warmUp = 2000
const eventsPerSecond = 1000
const plans = JSON.stringify([
  { id: 'free', name: 'Free', priceId: null, entitlements: {} },
  { id: 'pro', name: 'Pro', priceId: 'price_pro', entitlements: {} },
])

interface Webhook {
  readonly name: string
  readonly url: string
  readonly pid: number
  readonly make: () => BenchDelivery
  /** Text that the response contains only if the event is new. */
  readonly expected: string
  readonly wanted: number
}

const startWebhooks = async (bench: Bench, { profileFolder }: BenchOptions): Promise<Webhook[]> => {
  const provider = await startBillingProviderWithSubscriptions(bench.stopAtEnd)
  const start = async (environment: Readonly<Record<string, string>>) => {
    const secrets = {
      BILLING_PLANS: plans,
      BILLING_WEBHOOK_SECRET: billingSecret,
      LINKS_WEBHOOK_SECRET: linksSecret,
      EMAIL_WEBHOOK_SECRET: emailSecret,
    }
    const options = { profileFolder, environment: { ...secrets, ...environment } }
    return bench.stopAtEnd(await startGatewayProcess(bench, options))
  }
  const calling = await start({ BILLING_SECRET_KEY: secretKey, BILLING_API_BASE: provider.url })
  const alone = await start({})
  return [
    {
      name: 'billing, with a call to the provider',
      ...calling,
      make: createBillingDelivery,
      expected: '"processed"',
      wanted: 1000,
    },
    {
      name: 'billing, from the event alone',
      ...alone,
      make: createBillingDelivery,
      expected: '"processed"',
      wanted: 1500,
    },
    { name: 'links', ...alone, make: createLinkDelivery, expected: '"stored"', wanted: 1500 },
    { name: 'e-mail', ...alone, make: createEmailDelivery, expected: '"email.opened"', wanted: 1500 },
  ]
}

const measure = async ({ url, pid, make, expected }: Webhook, events: number) => {
  const [cpuBefore, begun] = [await cpuSecondsOf(pid), performance.now()]
  await deliverEvents(url, { events, connections, make }, expected)
  const seconds = (performance.now() - begun) / 1000
  return { perCpuSecond: events / ((await cpuSecondsOf(pid)) - cpuBefore), perSecond: events / seconds }
}

export const measureWebhooks = async (bench: Bench, options: BenchOptions): Promise<string> => {
  const { rounds } = options
  const events = options.seconds * eventsPerSecond
  await fillDatabase(bench.databaseUrl)
  const webhooks = await startWebhooks(bench, options)
  for (const webhook of webhooks) await measure(webhook, warmUp)
  const samples = await measureInterleaved(webhooks, rounds, (webhook) => measure(webhook, events))
  return [
    `Signed events without duplicates, ${connections} connections, ${rounds} rounds of ${events} events:`,
    table(
      ['', 'events per CPU second', 'spread', 'events a second'],
      [...samples].map(([name, taken]) => [
        name,
        ...rateCells(taken),
        `${Math.round(median(taken.map(({ perSecond }) => perSecond)))}`,
      ]),
    ),
    'Target:',
    targetTable(
      webhooks.map(({ name, wanted }) => ({
        what: `events per CPU second: ${name}`,
        measured: median((samples.get(name) ?? []).map(({ perCpuSecond }) => perCpuSecond)),
        atLeast: wanted,
      })),
    ),
  ].join('\n\n')
}
