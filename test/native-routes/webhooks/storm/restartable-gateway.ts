import { join } from 'node:path'
import { createGatewayEnvironment } from '#dev/bench/gateway-process.ts'
import { startProcess } from '#dev/bench/start-process.ts'
import { plans, secretKey, webhookSecret } from './subscribers.ts'

interface MortalGateway {
  readonly folder: string
  readonly databaseUrl: string
  readonly billingUrl: string
}

const unusedIssuer = {
  issuer: 'https://issuer.test/',
  audience: 'storm',
  jwksUrl: 'http://127.0.0.1:9/jwks.json',
}

/** Starts a gateway in a separate process that can be killed and started again at a different address. */
export const startRestartableGateway = async ({ folder, databaseUrl, billingUrl }: MortalGateway) => {
  const start = () =>
    startProcess({
      command: process.execPath,
      arguments: [join(import.meta.dirname, '../../../../bin/server.ts')],
      environment: {
        ...createGatewayEnvironment({ databaseUrl, coreUrl: 'none', issuer: unusedIssuer }),
        NODE_COMPILE_CACHE: join(folder, 'compiled'),
        BILLING_PLANS: JSON.stringify(plans),
        BILLING_SECRET_KEY: secretKey,
        BILLING_API_BASE: billingUrl,
        BILLING_WEBHOOK_SECRET: webhookSecret,
      },
      outputFile: join(folder, 'gateway.log'),
    })
  let running = await start()
  // SIGKILL can stop it between any two instructions, like a power failure.
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
