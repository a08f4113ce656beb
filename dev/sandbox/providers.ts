import * as z from 'zod'
import { startBillingProvider } from './billing/start-billing.ts'
import { startEmailProvider } from './email/start-email.ts'
import { startAnalyser } from './media-intelligence/start-analyser.ts'
import { startModel } from './model/start-model.ts'
import { startObjectStore } from './object-storage/start-object-store.ts'
import { runServers } from './run-servers.ts'
import { startWebApp } from './web-app/start-web-app.ts'

interface Provider {
  readonly url: string
  readonly close: () => Promise<unknown>
}

const requireVariable = (name: string) => {
  const value = process.env[name]
  if (!value) throw new Error(`environment variable ${name} is not set`)
  return value
}

const Plans = z.array(z.object({ name: z.string(), priceId: z.string().nullable() }))

// Each plan costs more than the previous one.
const createPrices = (plans: z.infer<typeof Plans>) =>
  plans.flatMap(({ name, priceId }, index) =>
    priceId === null ? [] : [{ id: priceId, name, amount: 900 * index }],
  )

const startStore = async (port: number): Promise<Provider> => {
  const { endpoint, close } = await startObjectStore({
    directory: requireVariable('STORAGE_DIRECTORY'),
    accessKeyId: requireVariable('STORAGE_ACCESS_KEY_ID'),
    secretAccessKey: requireVariable('STORAGE_SECRET_ACCESS_KEY'),
    port,
  })
  return { url: endpoint, close }
}

const providers: Readonly<Record<string, (port: number) => Promise<Provider>>> = {
  store: startStore,
  analyser: (port) => startAnalyser({ secret: requireVariable('MEDIA_INTELLIGENCE_SECRET'), port }),
  billing: (port) =>
    startBillingProvider({
      secretKey: requireVariable('BILLING_SECRET_KEY'),
      webhookSecret: requireVariable('BILLING_WEBHOOK_SECRET'),
      prices: createPrices(Plans.parse(JSON.parse(requireVariable('BILLING_PLANS')))),
      stateFile: requireVariable('BILLING_STATE_FILE'),
      port,
    }),
  email: (port) =>
    startEmailProvider({
      webhookSecret: requireVariable('EMAIL_WEBHOOK_SECRET'),
      apiKey: requireVariable('EMAIL_API_KEY'),
      port,
    }),
  model: (port) => startModel({ apiKey: requireVariable('AI_API_KEY'), port }),
  app: (port) => startWebApp({ port }),
}

// All providers share one process, because separate ones would take longer to start on a laptop.
runServers('sandbox providers', async () => {
  const selected = requireVariable('SANDBOX_PROVIDERS').split(',')
  const started = await Promise.all(
    selected.map(async (entry) => {
      // If no port is set, any free one is used.
      const [name = '', port = '0'] = entry.split(':')
      const start = providers[name]
      if (start === undefined) throw new Error(`SANDBOX_PROVIDERS contains an unknown provider: ${name}`)
      return [name, await start(Number(port))] as const
    }),
  )
  return {
    ready: { urls: Object.fromEntries(started.map(([name, { url }]) => [name, url])) },
    close: () => Promise.all(started.map(([, { close }]) => close())),
  }
})
