import { join } from 'node:path'
import { crossfadeEnvironment } from '../crossfade.ts'
import { startProcess } from '../start-process.ts'
import { plans, secretKey, webhookSecret } from './subscribers.ts'

interface MortalGateway {
  /** Takes its log, and what Node compiled of it. */
  readonly folder: string
  readonly databaseUrl: string
  readonly billingUrl: string
}

const nobody = { issuer: 'https://issuer.test/', audience: 'storm', jwksUrl: 'http://127.0.0.1:9/jwks.json' }

/** A gateway in a process of its own, that can be killed and is there again a moment later, at another address. */
export const startMortalGateway = async ({ folder, databaseUrl, billingUrl }: MortalGateway) => {
  const start = () =>
    startProcess({
      command: process.execPath,
      arguments: [join(import.meta.dirname, '../../gateway/server.ts')],
      environment: {
        ...crossfadeEnvironment({ databaseUrl, coreUrl: 'none', issuer: nobody }),
        NODE_COMPILE_CACHE: join(folder, 'compiled'),
        BILLING_PLANS: JSON.stringify(plans),
        BILLING_SECRET_KEY: secretKey,
        BILLING_API_BASE: billingUrl,
        BILLING_WEBHOOK_SECRET: webhookSecret,
      },
      outputFile: join(folder, 'gateway.log'),
    })
  let running = await start()
  // Between any two of its instructions, as a machine does that loses its power.
  const end = async () => {
    process.kill(running.pid, 'SIGKILL')
    await running.stop()
  }
  return {
    url: () => running.url,
    async restart() {
      await end()
      running = await start()
    },
    end,
  }
}
