import * as z from 'zod'
import { runServer } from '../run-server.ts'
import { startBillingProvider } from './start-billing.ts'

const Plans = z.array(z.object({ name: z.string(), priceId: z.string().nullable() }))

// Each plan costs more than the one before it.
const pricesOf = (plans: z.infer<typeof Plans>) =>
  plans.flatMap(({ name, priceId }, place) =>
    priceId === null ? [] : [{ id: priceId, name, amount: 900 * place }],
  )

runServer('sandbox billing provider', async (required) => {
  const { url, close } = await startBillingProvider({
    secretKey: required('BILLING_SECRET_KEY'),
    webhookSecret: required('BILLING_WEBHOOK_SECRET'),
    prices: pricesOf(Plans.parse(JSON.parse(required('BILLING_PLANS')))),
    stateFile: required('BILLING_STATE_FILE'),
  })
  return { url, close }
})
