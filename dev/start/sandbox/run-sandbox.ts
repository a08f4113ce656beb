import { join } from 'node:path'
import { readSecretFiles } from '#gateway/settings/secret-files.ts'
import { readArgumentsOrExit, readCommandLine } from '#shared/command-line.ts'
import { uploadDemoMedia } from '../../sandbox/demo-media/upload-demo-media.ts'
import { createSandbox } from '../start-sandbox.ts'
import { createPlainReporter, createTerminalReporter } from './reporter.ts'
import { watchNpm } from './watch-npm.ts'

type Environment = Readonly<Record<string, string | undefined>>

interface SandboxProgram {
  /** The npm script. */
  readonly name: string
  /** The first line of the script's help. */
  readonly does: string
  readonly environment: Environment
  /** The module that the gateway process runs; by default, the gateway on Node. */
  readonly gatewayModule?: URL
}

const stateDir = join(import.meta.dirname, '../../../.data')

const readArguments = (command: Pick<SandboxProgram, 'name' | 'does'>) => (args: readonly string[]) =>
  readCommandLine(
    {
      ...command,
      example: '--logs',
      flags: { logs: { type: 'boolean', means: 'prints the logs here, in readable form' } },
      notes: ['Without --logs, the logs are in .data/logs. Delete .data to start over.'],
    },
    args,
  ).values

/** Runs the gateway with the sandbox until a signal arrives or npm exits. Prints a banner when everything is ready. */
export const runSandbox = async ({ name, does, environment, gatewayModule }: SandboxProgram) => {
  const { logs: showsLogs = false } = readArgumentsOrExit(name, readArguments({ name, does }), 1)
  const reporter = process.stdout.isTTY
    ? createTerminalReporter(process.stdout, { stateDir, showsLogs })
    : createPlainReporter()
  const sandbox = createSandbox({
    ...reporter,
    stateDir,
    given: await readSecretFiles(environment),
    ...(gatewayModule && { gatewayModule }),
  })

  let stopping = false
  const stop = async (failure?: string) => {
    if (stopping) return
    stopping = true
    if (failure === undefined) reporter.stopping()
    else reporter.failed(failure)
    await sandbox.stop().catch(() => undefined)
    if (failure === undefined) reporter.stopped()
    process.exit(failure === undefined ? 0 : 1)
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => void stop())
  void watchNpm(() => void stop())

  try {
    const { gateway, issuer, databaseUrl, coreUrl, providers, adminUrls, ffmpegPath, replacedPorts } =
      await sandbox.start()
    const token = issuer && (await issuer.mintToken('acct_alice'))
    const hasDemo = token !== null && !environment.DATABASE_URL && providers.STORAGE_ENDPOINT !== undefined
    if (!stopping) {
      for (const sentence of replacedPorts) reporter.print(sentence)
      reporter.ready({
        url: gateway.url,
        token,
        demoPackUrl:
          hasDemo && providers.APP_ORIGIN ? `${providers.APP_ORIGIN}/share/packs/harbour-ep` : null,
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
    }
    void gateway.exited.then(() => stop('The gateway exited. Its log says why.'))
    // Uploads the demo audio only after the banner is printed, because no part waits for it.
    if (hasDemo)
      uploadDemoMedia({ url: gateway.url, token }).catch((error: unknown) => {
        if (!stopping)
          reporter.print(`The demo tracks have no sound: ${String(error)}. The next start tries again.`)
      })
  } catch (error) {
    // Does nothing if a stop has already begun, which may be why the start failed.
    void stop(error instanceof Error ? error.message : String(error))
  }
}
