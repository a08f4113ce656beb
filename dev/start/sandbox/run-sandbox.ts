import { join } from 'node:path'
import { uploadDemoMedia } from '../../sandbox/demo-media/upload-demo-media.ts'
import { createSandbox } from '../start-sandbox.ts'
import { formatBanner } from './banner.ts'
import { watchNpm } from './watch-npm.ts'

type Environment = Readonly<Record<string, string | undefined>>

const stateDir = join(import.meta.dirname, '../../../.data')

const printLine = (line: string) => process.stdout.write(`${line}\n`)

/**
 * Runs the gateway, by default that on Node, with the sandbox until a signal or the end of npm; prints the banner when all
 * of it is ready.
 */
export const runSandbox = async (
  environment: Environment,
  options: { readonly gatewayModule?: URL } = {},
) => {
  const sandbox = createSandbox({ stateDir, given: environment, ...options })

  let stopping = false
  const stop = (exitCode: number) => {
    if (stopping) return
    stopping = true
    sandbox.stop().finally(() => process.exit(exitCode))
  }
  process.on('SIGINT', () => stop(0))
  process.on('SIGTERM', () => stop(0))
  process.on('SIGHUP', () => stop(0))
  void watchNpm(() => stop(0))

  try {
    const { gateway, issuer, databaseUrl, coreUrl, providers, adminUrls, ffmpegPath } = await sandbox.start()
    const token = issuer && (await issuer.mintToken('acct_alice'))
    const hasDemo = token !== null && !environment.DATABASE_URL && providers.STORAGE_ENDPOINT !== undefined
    const banner = formatBanner({
      url: gateway.url,
      token,
      demoPackUrl: hasDemo && providers.APP_ORIGIN ? `${providers.APP_ORIGIN}/share/packs/harbour-ep` : null,
      adminUrls,
      ffmpegPath,
      consoleUrl: adminUrls.gateway ? `${adminUrls.gateway}/console` : null,
      sandbox: {
        database: environment.DATABASE_URL ? null : databaseUrl,
        core: environment.CORE_BASE_URL ? null : coreUrl,
        'object store': providers.STORAGE_ENDPOINT ?? null,
        analyser: providers.MEDIA_INTELLIGENCE_URL ?? null,
        'billing provider': providers.BILLING_API_BASE ?? null,
        'e-mail outbox': providers.EMAIL_API_BASE ?? null,
        model: providers.AI_BASE_URL ?? null,
        'web app': providers.APP_ORIGIN ?? null,
        'token issuer': issuer?.jwksUrl ?? null,
        'internal token': environment.INTERNAL_TOKEN ? null : join(stateDir, 'internal-token'),
        'operator token':
          environment.OPERATORS || !adminUrls.gateway ? null : join(stateDir, 'operator-token'),
      },
    })
    if (!stopping) printLine(banner)
    gateway.exited.then(() => stop(1))
    // After the banner, because the start does not depend on it.
    if (hasDemo)
      uploadDemoMedia({ url: gateway.url, token }).catch((error: unknown) => {
        if (!stopping)
          printLine(`The demo tracks have no sound: ${String(error)}. The next start tries again.`)
      })
  } catch (error) {
    // A stop may make the start fail, which is no error of the start.
    if (!stopping) printLine(error instanceof Error ? error.message : String(error))
    stop(1)
  }
}
