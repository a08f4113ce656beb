import { startGatewayProcess } from './gateway-process.ts'
import { cpuSecondsOf } from './measure.ts'
import { type Bench, type BenchOptions, reportStep } from './open-bench.ts'
import { median } from './statistics.ts'
import { table, targetTable } from './tables.ts'
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
  const { folder, databaseUrl, issuer, stopAtEnd } = bench
  const provider = await startBillingProviderWithSubscriptions(stopAtEnd)
  const start = async (environment: Readonly<Record<string, string>>) => {
    const secrets = {
      BILLING_PLANS: plans,
      BILLING_WEBHOOK_SECRET: billingSecret,
      LINKS_WEBHOOK_SECRET: linksSecret,
      EMAIL_WEBHOOK_SECRET: emailSecret,
    }
    const options = { folder, databaseUrl, issuer, coreUrl: 'none', profileFolder }
    return stopAtEnd(await startGatewayProcess({ ...options, environment: { ...secrets, ...environment } }))
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
  await fillDatabase(bench.databaseUrl)
  const measured = []
  for (const webhook of await startWebhooks(bench, options)) {
    await measure(webhook, warmUp)
    const samples = []
    for (let round = 0; round < options.rounds; round++) {
      reportStep(`round ${round + 1} of ${options.rounds}, ${webhook.name}`)
      samples.push(await measure(webhook, options.seconds * eventsPerSecond))
    }
    const rates = samples.map(({ perCpuSecond }) => perCpuSecond)
    measured.push({
      name: webhook.name,
      wanted: webhook.wanted,
      rate: median(rates),
      spread: `${Math.round(Math.min(...rates))} to ${Math.round(Math.max(...rates))}`,
      perSecond: median(samples.map(({ perSecond }) => perSecond)),
    })
  }
  return [
    `Signed events without duplicates, ${connections} connections, ${options.rounds} rounds of ${options.seconds * eventsPerSecond} events:`,
    table(
      ['', 'events per CPU second', 'spread', 'events a second'],
      measured.map(({ name, rate, spread, perSecond }) => [
        name,
        `${Math.round(rate)}`,
        spread,
        `${Math.round(perSecond)}`,
      ]),
    ),
    'Target:',
    targetTable(
      measured.map(({ name, rate, wanted }) => ({
        what: `events per CPU second: ${name}`,
        measured: rate,
        atLeast: wanted,
      })),
    ),
  ].join('\n\n')
}
