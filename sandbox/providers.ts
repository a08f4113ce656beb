import * as z from 'zod'
import { startBillingProvider } from './billing/start-billing.ts'
import { startEmailProvider } from './email/start-email.ts'
import { startAnalyser } from './media-intelligence/start-analyser.ts'
import { startObjectStore } from './object-storage/start-object-store.ts'
import { runServers } from './run-servers.ts'

interface Provider {
  readonly url: string
  readonly close: () => Promise<unknown>
}

const required = (name: string) => {
  const value = process.env[name]
  if (!value) throw new Error(`${name} is missing`)
  return value
}

const Plans = z.array(z.object({ name: z.string(), priceId: z.string().nullable() }))

// Each plan costs more than the one before it.
const pricesOf = (plans: z.infer<typeof Plans>) =>
  plans.flatMap(({ name, priceId }, place) =>
    priceId === null ? [] : [{ id: priceId, name, amount: 900 * place }],
  )

const startStore = async (): Promise<Provider> => {
  const { endpoint, close } = await startObjectStore({
    directory: required('STORAGE_DIRECTORY'),
    accessKeyId: required('STORAGE_ACCESS_KEY_ID'),
    secretAccessKey: required('STORAGE_SECRET_ACCESS_KEY'),
  })
  return { url: endpoint, close }
}

const providers: Readonly<Record<string, () => Promise<Provider>>> = {
  store: startStore,
  analyser: () => startAnalyser({ secret: required('MEDIA_INTELLIGENCE_SECRET') }),
  billing: () =>
    startBillingProvider({
      secretKey: required('BILLING_SECRET_KEY'),
      webhookSecret: required('BILLING_WEBHOOK_SECRET'),
      prices: pricesOf(Plans.parse(JSON.parse(required('BILLING_PLANS')))),
      stateFile: required('BILLING_STATE_FILE'),
    }),
  email: () => startEmailProvider({ webhookSecret: required('EMAIL_WEBHOOK_SECRET') }),
}

// In one process: each is small, and a laptop has few cores to start them on.
runServers('sandbox providers', async () => {
  const wanted = required('SANDBOX_PROVIDERS').split(',')
  const started = await Promise.all(
    wanted.map(async (name) => {
      const start = providers[name]
      if (start === undefined) throw new Error(`no provider is called ${name}`)
      return [name, await start()] as const
    }),
  )
  return {
    ready: { urls: Object.fromEntries(started.map(([name, { url }]) => [name, url])) },
    close: () => Promise.all(started.map(([, { close }]) => close())),
  }
})
