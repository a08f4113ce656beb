import { runServer } from '../run-server.ts'
import { startEmailProvider } from './start-email.ts'

runServer('sandbox e-mail provider', async () => {
  const webhookSecret = process.env.EMAIL_WEBHOOK_SECRET || null
  const { url, close } = await startEmailProvider({ webhookSecret })
  return { url, close }
})
